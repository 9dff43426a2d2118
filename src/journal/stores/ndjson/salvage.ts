/**
 * Reads the complete entries of a damaged NDJSON journal, sorts them by position, and copies them to new positions in a
 * new hash chain of an empty store, with a report entry; never writes or locks the damaged file.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Row } from "../../Entry.ts"
import type { JournalError } from "../../JournalError.ts"
import type { JournalStore } from "../../JournalStore.ts"
import { type SalvagedItem, salvageInto, type SalvageReport } from "../../salvage.ts"
import { BlockReader } from "./BlockReader.ts"
import { maxLineBytes } from "./encodeLine.ts"
import { attemptFile, fsError } from "./fsError.ts"
import { type Bytes, loadHostSystem } from "./HostSystem.ts"
import { decodeText, parseLine, positionAt } from "./parseLine.ts"
import { statFile } from "./paths.ts"
import * as StoreOption from "../storeOptions.ts"

const windowBytes = 256 * 1024

/** A line that starts with a position, without its newline. */
interface Line {
  readonly position: number
  readonly offset: number
  readonly length: number
}

/** The file to salvage. */
interface Source {
  readonly size: number
  readonly read: (from: number, to: number) => { readonly bytes: Bytes; readonly text: string }
}

/** Yields the lines that start with a position, in file order, and the sizes of all other lines but the header. */
const findLines = function* ({ read, size }: Source): Generator<Line | { readonly bytes: number }> {
  let offset = 0
  let isFirst = true
  while (offset < size) {
    let text = ""
    let end = -1
    // A line that is longer than any entry ends with its window.
    for (let window = windowBytes; end < 0; window *= 4) {
      text = read(offset, Math.min(size, offset + window)).text
      end = text.lastIndexOf("\n") + 1
      if (end === 0) end = offset + text.length >= size || window > maxLineBytes ? text.length : -1
    }
    for (let at = 0; at < end;) {
      const newline = text.indexOf("\n", at)
      const stop = newline < 0 ? end : newline
      const position = positionAt(text, at)
      if (position > 0) yield { position, offset: offset + at, length: stop - at }
      else if (!isFirst || !text.startsWith(`{"sluice":"journal"`, at)) yield { bytes: stop - at + 1 }
      isFirst = false
      at = stop + 1
    }
    offset += end
  }
}

/** Decodes a line; `undefined` when it is not a complete entry. */
const decodeLine = (
  { read }: Source,
  { length, offset }: Line,
): { readonly row: Row; readonly more: boolean } | undefined => {
  const { bytes, text } = read(offset, offset + length)
  const head = parseLine(text, 0, decodeText)
  if (head === undefined || !text.endsWith("}")) return undefined
  const { bodyAt, branch, correlationId, hash, more, position, tag, time, version } = head
  const body = bytes.toString("utf8", bodyAt, length - 1)
  return { row: { position, time, branch, correlationId, tag, version, hash, body: body === "null" ? "" : body }, more }
}

/** Yields everything readable, ordered by position. Keeps the offset of each line in memory: 24 bytes an entry. */
const readItems = function* (source: Source): Generator<SalvagedItem> {
  const lines: Array<Line> = []
  let isSorted = true
  for (const line of findLines(source)) {
    if ("bytes" in line) {
      yield line
      continue
    }
    isSorted &&= line.position > (lines.at(-1)?.position ?? 0)
    lines.push(line)
  }
  if (!isSorted) lines.sort((a, b) => a.position - b.position)
  // A transaction that the end of the file cuts short was never acknowledged: a repair would cut it off too.
  let pending: Array<SalvagedItem> = []
  let pendingBytes = 0
  for (const line of lines) {
    const decoded = decodeLine(source, line)
    if (decoded === undefined) {
      yield { bytes: line.length + 1 }
      continue
    }
    pending.push({ row: decoded.row })
    pendingBytes += line.length + 1
    if (decoded.more) continue
    yield* pending
    pending = []
    pendingBytes = 0
  }
  if (pendingBytes > 0) yield { bytes: pendingBytes }
}

/**
 * Copies the readable entries of a damaged NDJSON journal into an empty store: with their times, in the order of their
 * positions, at new positions from 1 on, in a new chain. The last entry, tagged `Salvaged`, holds the report. The source
 * is not written; its writer must have stopped. Errors: `Invalid` when `to` has entries, `Missing`.
 *
 * @example
 * ```ts
 * import { NdjsonJournal } from "@sluice/shell/journal/ndjson"
 * import { Effect } from "effect"
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const folder = mkdtempSync(join(tmpdir(), "salvage-"))
 * const [damaged, fresh] = [join(folder, "damaged.ndjson"), join(folder, "new.ndjson")]
 * const note = { branch: "notes", correlationId: "n1", body: { _tag: "Noted" } }
 * const append = Effect.flatMap(NdjsonJournal.make({ path: damaged }), (journal) => journal.append([note]))
 * await Effect.runPromise(Effect.scoped(append))
 *
 * const store = NdjsonJournal.openStore({ path: fresh })
 * const salvage = Effect.flatMap(store, (to) => NdjsonJournal.salvage({ path: damaged }, to))
 * const report = await Effect.runPromise(Effect.scoped(salvage))
 * console.log(report.entries, report.lostEntries) // 1 0
 * ```
 *
 * @stability stable
 */
export const salvage = (
  options: { readonly path: string },
  to: JournalStore,
): Effect.Effect<SalvageReport, JournalError> =>
  Effect.flatMap(
    StoreOption.resolveStoreOptions("NdjsonJournal.salvage", options, { path: StoreOption.path }, ({ path }) => path),
    (path) => salvageFile(path, to),
  )

const salvageFile = (path: string, to: JournalStore): Effect.Effect<SalvageReport, JournalError> => {
  const operation = { path, what: "was not salvaged" }
  return Effect.gen(function* () {
    const system = yield* attemptFile(operation, loadHostSystem)
    const descriptor = yield* Effect.acquireRelease(
      attemptFile(operation, () => {
        statFile(system, path)
        return system.files.openSync(path, "r")
      }),
      (opened) => Effect.sync(() => system.files.closeSync(opened)),
    )
    const { size } = yield* attemptFile(operation, () => system.files.fstatSync(descriptor))
    const reader = new BlockReader(system, path)
    const items = readItems({ size, read: (from, to) => reader.read(descriptor, from, to) })
    return yield* salvageInto(to, system.path.resolve(path), items, (error) => fsError(error, operation))
  }).pipe(Effect.scoped)
}
