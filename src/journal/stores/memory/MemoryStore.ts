/** Keeps the rows of a journal in the memory of this process, up to a number and a size. */
import * as Effect from "effect/Effect"
import { type Filter, type Head, matches, noHash, type Position, type Row, withoutBody } from "../../Entry.ts"
import { bodyLength } from "../../UnchainedRow.ts"
import { upperBound } from "../../upperBound.ts"
import { JournalError } from "../../JournalError.ts"
import type { JournalStore, Scan, StoreTransaction } from "../../JournalStore.ts"

export interface MemoryBounds {
  readonly maxEntries: number
  readonly maxBytes: number
}

export const shareAfterPrune = 0.75

const rowBytes = 300

const bytesOf = (row: Row): number => rowBytes + 2 * bodyLength(row)

const fullError = (
  added: { readonly entries: number; readonly bytes: number },
  held: { readonly entries: number; readonly bytes: number },
  { maxBytes, maxEntries }: MemoryBounds,
): JournalError =>
  JournalError.because(
    { _tag: "Full" },
    `journal: nothing was appended: no space for ${added.entries} more in ${added.bytes} bytes: the memory journal holds ` +
      `${held.entries} entries (at most ${maxEntries}) in ${held.bytes} bytes (at most ${maxBytes})`,
  )

export const makeMemoryStore = (bounds: MemoryBounds): JournalStore => {
  let rows: Array<Row> = []
  let bytes = 0
  const byCorrelation = new Map<string, Array<Row>>()

  const currentHead = (): Head => {
    const last = rows.at(-1)
    return last === undefined ? { position: 0, hash: noHash } : { position: last.position, hash: last.hash }
  }

  const candidates = (filter: Filter | undefined): ReadonlyArray<Row> =>
    filter?.correlationId === undefined ? rows : byCorrelation.get(filter.correlationId) ?? []

  const firstAfter = (list: ReadonlyArray<Row>, position: Position): number =>
    upperBound(list.length, (index) => list[index]?.position ?? Infinity, position)

  const scan = ({ after = 0, before = Infinity, filter, headersOnly, maxRows, maxBytes = Infinity, order }: Scan) => {
    const list = candidates(filter)
    const found: Array<Row> = []
    let length = 0
    const forward = order !== "backward"
    const start = forward ? firstAfter(list, after) : firstAfter(list, before - 1) - 1
    for (let index = start; found.length < maxRows; index += forward ? 1 : -1) {
      const row = list[index]
      if (row === undefined || row.position >= before || row.position <= after) break
      if (filter !== undefined && !matches(filter, row)) continue
      length += headersOnly === true ? 0 : bodyLength(row)
      if (found.length > 0 && length > maxBytes) break
      found.push(headersOnly === true ? withoutBody(row) : row)
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

  const insert = (added: ReadonlyArray<Row>): JournalError | undefined => {
    let more = 0
    for (const row of added) more += bytesOf(row)
    const held = { entries: rows.length, bytes }
    if (rows.length + added.length > bounds.maxEntries || bytes + more > bounds.maxBytes) {
      return fullError({ entries: added.length, bytes: more }, held, bounds)
    }
    for (const row of added) {
      rows.push(row)
      index(row)
    }
    bytes += more
    return undefined
  }

  const transaction = (): StoreTransaction => ({
    head: currentHead(),
    scan: (options) => Effect.sync(() => scan(options)),
    insert: (added) =>
      Effect.suspend(() => {
        const error = insert(added)
        return error === undefined ? Effect.void : Effect.fail(error)
      }),
    removeThrough: (position) =>
      Effect.sync(() => {
        const count = firstAfter(rows, position)
        const correlationIds = new Set<string>()
        for (const row of rows.slice(0, count)) {
          bytes -= bytesOf(row)
          correlationIds.add(row.correlationId)
        }
        rows = rows.slice(count)
        for (const id of correlationIds) {
          const list = byCorrelation.get(id) ?? []
          const rest = list.slice(firstAfter(list, position))
          if (rest.length === 0) byCorrelation.delete(id)
          else byCorrelation.set(id, rest)
        }
      }),
    strip: (positions) =>
      Effect.sync(() => {
        const stripped = new Set(positions)
        rows = rows.map((row) => stripped.has(row.position) ? withoutBody(row) : row)
        reindex()
      }),
  })

  /** Remembers the rows; returns a function that restores them. */
  const saveRows = (): () => void => {
    const before = rows
    const count = rows.length
    return () => {
      if (rows === before && rows.length === count) return
      rows = before.slice(0, count)
      reindex()
    }
  }

  return {
    name: "memory",
    location: "memory",
    durabilities: ["memory"],
    synchronous: true,
    head: Effect.sync(currentHead),
    size: Effect.sync(() => ({ entries: rows.length, bytes, first: rows[0]?.position ?? 0 })),
    scan: (options) => Effect.sync(() => scan(options)),
    transact: (_, work) =>
      Effect.suspend(() => {
        const restore = saveRows()
        return Effect.onError(work(transaction()), () => Effect.sync(restore))
      }),
    insertNow: (rowsAfter) => {
      const added = rowsAfter(currentHead())
      return insert(added) === undefined ? added : undefined
    },
    watch: () => Effect.void,
  }
}
