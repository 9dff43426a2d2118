/**
 * Rows in the memory of this process.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { type Filter, type Head, matches, noHash, type Position, type Row } from "../../Entry.ts"
import { upperBound } from "../../upperBound.ts"
import { JournalError } from "../../JournalError.ts"
import type { JournalStore, Scan, StoreTransaction } from "../../JournalStore.ts"

/** How much a memory store may hold. */
export interface MemoryBounds {
  readonly maxEntries: number
  readonly maxBytes: number
}

/** How much of a full one stays when it prunes itself. */
export const keptShare = 0.75

/** What a row takes beside its body, about. */
const rowBytes = 300

const bytesOf = (row: Row): number => rowBytes + 2 * row.body.length

/** It holds so many entries in so many bytes, and no more fit. */
export const fullError = (entries: number, bytes: number, { maxBytes, maxEntries }: MemoryBounds): JournalError =>
  JournalError.because(
    { _tag: "Full" },
    `journal: nothing was appended: the memory journal holds ${entries} entries (at most ${maxEntries}) in ${bytes} ` +
      `bytes (at most ${maxBytes})`,
  )

/** Makes a store that lives as long as somebody refers to it. */
export const makeMemoryStore = (bounds: MemoryBounds): JournalStore => {
  let rows: Array<Row> = []
  let bytes = 0
  const byCorrelation = new Map<string, Array<Row>>()

  const headNow = (): Head => {
    const last = rows.at(-1)
    return last === undefined ? { position: 0, hash: noHash } : { position: last.position, hash: last.hash }
  }

  const listFor = (filter: Filter | undefined): ReadonlyArray<Row> =>
    filter?.correlationId === undefined ? rows : byCorrelation.get(filter.correlationId) ?? []

  const scanNow = ({ after = 0, before = Infinity, filter, headersOnly, limit, maxBytes = Infinity, order }: Scan) => {
    const list = listFor(filter)
    const found: Array<Row> = []
    let length = 0
    const forward = order !== "backward"
    const positionAt = (index: number): Position => list[index]?.position ?? Infinity
    const start = forward
      ? upperBound(list.length, positionAt, after)
      : upperBound(list.length, positionAt, before - 1) - 1
    for (let index = start; found.length < limit; index += forward ? 1 : -1) {
      const row = list[index]
      if (row === undefined || row.position >= before || row.position <= after) break
      if (filter !== undefined && !matches(filter, row)) continue
      length += headersOnly === true ? 0 : row.body.length
      if (found.length > 0 && length > maxBytes) break
      found.push(headersOnly === true ? { ...row, body: "" } : row)
    }
    return found
  }

  const index = (row: Row): void => {
    const list = byCorrelation.get(row.correlationId)
    if (list === undefined) byCorrelation.set(row.correlationId, [row])
    else list.push(row)
  }

  const reindex = (): void => {
    byCorrelation.clear()
    bytes = 0
    for (const row of rows) {
      index(row)
      bytes += bytesOf(row)
    }
  }

  const transaction = (): StoreTransaction => ({
    head: headNow(),
    scan: (scan) => Effect.sync(() => scanNow(scan)),
    insert: (added) =>
      Effect.suspend(() => {
        const more = added.reduce((sum, row) => sum + bytesOf(row), 0)
        if (rows.length + added.length > bounds.maxEntries || bytes + more > bounds.maxBytes) {
          return Effect.fail(fullError(rows.length, bytes, bounds))
        }
        for (const row of added) {
          rows.push(row)
          index(row)
        }
        bytes += more
        return Effect.void
      }),
    removeThrough: (position) =>
      Effect.sync(() => {
        rows = rows.slice(upperBound(rows.length, (at) => rows[at]?.position ?? Infinity, position))
        reindex()
      }),
    strip: (positions) =>
      Effect.sync(() => {
        const doomed = new Set(positions)
        rows = rows.map((row) => doomed.has(row.position) ? { ...row, body: "" } : row)
        reindex()
      }),
  })

  /** Back to where a transaction began. */
  const restorePoint = (): () => void => {
    const before = rows
    const count = rows.length
    return () => {
      rows = before.slice(0, count)
      reindex()
    }
  }

  return {
    name: "memory",
    location: "memory",
    durabilities: ["memory"],
    synchronous: true,
    head: Effect.sync(headNow),
    size: Effect.sync(() => ({ entries: rows.length, bytes, first: rows[0]?.position ?? 0 })),
    scan: (scan) => Effect.sync(() => scanNow(scan)),
    transact: (_, work) =>
      Effect.suspend(() => {
        const restore = restorePoint()
        return Effect.onError(work(transaction()), () => Effect.sync(restore))
      }),
    watch: () => Effect.void,
  }
}
