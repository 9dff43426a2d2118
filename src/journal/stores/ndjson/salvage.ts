/**
 * Reads what can be read of a damaged file of lines. The file is not written, and not locked.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Row } from "../../Entry.ts"
import type { JournalError } from "../../JournalError.ts"
import type { JournalStore } from "../../JournalStore.ts"
import { type SalvagedItem, salvageInto, type SalvageReport } from "../../salvage.ts"
import { fsError } from "./fsError.ts"
import { maxLineBytes } from "./encodeLine.ts"
import { decodeText, parseLine, positionAt } from "./parseLine.ts"
import { statFile } from "./statFile.ts"
import { type Bytes, type HostSystem, loadHostSystem } from "./HostSystem.ts"

const blockBytes = 1024 * 1024

/** Where a line begins that says a position, and how long it is, without its newline. */
interface Line {
  readonly position: number
  readonly offset: number
  readonly length: number
}

/** Reads parts of a file, a block at a time. */
class Blocks {
  readonly #system: HostSystem
  readonly #descriptor: number
  readonly size: number
  #bytes: Bytes
  #from = 0
  #length = 0

  constructor(system: HostSystem, descriptor: number) {
    this.#system = system
    this.#descriptor = descriptor
    this.size = system.files.fstatSync(descriptor).size
    this.#bytes = system.bytes(blockBytes)
  }

  /** The bytes from one offset to another, or to the end; good until the next call. */
  read(from: number, to: number): Bytes {
    const end = Math.min(to, this.size)
    if (from < this.#from || end > this.#from + this.#length) {
      if (end - from > this.#bytes.length) this.#bytes = this.#system.bytes(end - from)
      this.#from = from
      this.#length = 0
      while (this.#length < this.#bytes.length) {
        const at = from + this.#length
        const got = this.#system.files.readSync(
          this.#descriptor,
          this.#bytes,
          this.#length,
          this.#bytes.length - this.#length,
          at,
        )
        if (got === 0) break
        this.#length += got
      }
    }
    return this.#bytes.subarray(
      from - this.#from,
      Math.max(from, Math.min(end, this.#from + this.#length)) - this.#from,
    )
  }
}

/** The lines of a file that say a position, in their order in the file, and the bytes of those that do not. */
const linesOf = function* (blocks: Blocks): Generator<Line | { readonly bytes: number }> {
  let offset = 0
  let isFirst = true
  while (offset < blocks.size) {
    let window = blockBytes
    let text = ""
    let end = -1
    // A line that is longer than any entry ends where the window does.
    for (; end < 0; window *= 4) {
      text = blocks.read(offset, offset + window).toString("latin1")
      end = text.lastIndexOf("\n") + 1
      if (end === 0) end = offset + text.length >= blocks.size || window > maxLineBytes ? text.length : -1
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

/** The row of a line, and whether its transaction goes on; `undefined` when the line is no whole entry. */
const rowOf = (bytes: Bytes): { readonly row: Row; readonly more: boolean } | undefined => {
  const text = bytes.toString("latin1")
  const head = parseLine(text, 0, decodeText)
  if (head === undefined || !text.endsWith("}")) return undefined
  const { bodyAt, branch, correlationId, hash, more, position, tag, time, version } = head
  const body = bytes.toString("utf8", bodyAt, bytes.length - 1)
  return { row: { position, time, branch, correlationId, tag, version, hash, body: body === "null" ? "" : body }, more }
}

/** Everything that can be read, by position. Where each line stands is kept in memory: 24 bytes an entry. */
const foundIn = function* (blocks: Blocks): Generator<SalvagedItem> {
  const lines: Array<Line> = []
  let isSorted = true
  for (const line of linesOf(blocks)) {
    if ("bytes" in line) {
      yield line
      continue
    }
    isSorted &&= line.position > (lines.at(-1)?.position ?? 0)
    lines.push(line)
  }
  if (!isSorted) lines.sort((a, b) => a.position - b.position)
  // A transaction that the end of the file cut short was never confirmed: the store would cut it off too.
  let pending: Array<SalvagedItem> = []
  let pendingBytes = 0
  for (const { length, offset } of lines) {
    const found = rowOf(blocks.read(offset, offset + length))
    if (found === undefined) {
      yield { bytes: length + 1 }
      continue
    }
    pending.push({ row: found.row })
    pendingBytes += length + 1
    if (found.more) continue
    yield* pending
    pending = []
    pendingBytes = 0
  }
  if (pendingBytes > 0) yield { bytes: pendingBytes }
}

/**
 * Copies what can be read of a damaged NDJSON journal into an empty journal's store: with their times, at positions from 1
 * on, lines that are out of place in order. The chain is a new one; its last entry, tagged `Salvaged`, says what was
 * lost. The source is not written; its writer must have stopped. Errors: `Invalid` when `to` has entries, `Missing`.
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
 * console.assert(report.entries === 1 && report.lostEntries === 0)
 * ```
 */
export const salvage = (
  { path }: { readonly path: string },
  to: JournalStore,
): Effect.Effect<SalvageReport, JournalError> => {
  const toError = (error: unknown): JournalError => fsError(error, { path, what: "was not salvaged" })
  return Effect.flatMap(Effect.try({ try: loadHostSystem, catch: toError }), (modules) =>
    Effect.acquireUseRelease(
      Effect.try({
        try: () => {
          statFile(modules, path)
          return modules.files.openSync(path, "r")
        },
        catch: toError,
      }),
      (descriptor) =>
        Effect.flatMap(
          Effect.try({ try: () => foundIn(new Blocks(modules, descriptor)), catch: toError }),
          (found) => salvageInto(to, modules.path.resolve(path), found, toError),
        ),
      (descriptor) => Effect.sync(() => modules.files.closeSync(descriptor)),
    ))
}
