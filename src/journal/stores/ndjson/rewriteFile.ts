/**
 * A journal without some of its entries, or without some of their bodies, as a new file.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Position, Row } from "../../Entry.ts"
import type { JournalError } from "../../JournalError.ts"
import { corrupt, fsError } from "./fsError.ts"
import { bodyKey, LineEncoder, maxLineBytes } from "./encodeLine.ts"
import { findOffset } from "./findOffset.ts"
import { positionAt } from "./parseLine.ts"
import { replaceFile, type Write } from "./replaceFile.ts"
import { JournalFile } from "./JournalFile.ts"
import { sliceMillis } from "./slice.ts"
import type { HostSystem } from "./HostSystem.ts"

/** What becomes of a journal. */
export interface FileRewrite {
  /** Entries up to this one are left out. */
  readonly removeThrough: Position
  /** Entries that lose their bodies. */
  readonly strip: ReadonlySet<Position>
  /** Entries that are added, as one transaction. */
  readonly rows: ReadonlyArray<Row>
}

const blockBytes = 256 * 1024

/** Lines, with some of them stripped; the others as they are. */
const stripLines = (path: string, text: string, strip: ReadonlySet<Position>): string => {
  const parts: Array<string> = []
  let from = 0
  let at = 0
  for (let newline = text.indexOf("\n"); newline >= 0; newline = text.indexOf("\n", at)) {
    const position = positionAt(text, at)
    if (strip.has(position)) {
      const keyAt = text.indexOf(bodyKey, at)
      if (keyAt < 0 || keyAt > newline) throw corrupt(path, "its line is no entry", position)
      parts.push(text.slice(from, keyAt + bodyKey.length), "null}\n")
      from = newline + 1
    }
    at = newline + 1
  }
  parts.push(text.slice(from))
  return parts.join("")
}

/** A part of the old file that goes to the new one. */
interface Part {
  readonly from: number
  readonly to: number
  /** Whether lines in it are stripped. */
  readonly strips: boolean
}

const partsOf = (old: JournalFile, { removeThrough, strip }: FileRewrite): ReadonlyArray<Part> => {
  const from = findOffset(old, removeThrough + 1)
  let first = Infinity
  let last = 0
  for (const position of strip) {
    if (position <= removeThrough || position > old.head.position) continue
    first = Math.min(first, position)
    last = Math.max(last, position)
  }
  const header = { from: 0, to: old.base, strips: false }
  if (last === 0) return [header, { from, to: old.end, strips: false }]
  const begin = findOffset(old, first)
  const end = findOffset(old, last + 1)
  return [
    header,
    { from, to: begin, strips: false },
    { from: begin, to: end, strips: true },
    { from: end, to: old.end, strips: false },
  ]
}

/** Copies a part, a block at a time, and lets others run between. */
const copy = (
  system: HostSystem,
  old: JournalFile,
  { from, strips, to }: Part,
  strip: ReadonlySet<Position>,
  write: Write,
) =>
  Effect.gen(function* () {
    let offset = from
    let window = blockBytes
    /** Copies until a time. */
    const step = (until: number): void => {
      while (offset < to && performance.now() < until) {
        const { bytes, text } = old.read(offset, Math.min(to, offset + window))
        const length = strips ? text.lastIndexOf("\n") + 1 : text.length
        if (length === 0) {
          if (window > 2 * maxLineBytes) throw corrupt(old.path, `a line is longer than ${maxLineBytes} bytes`)
          window *= 4
          continue
        }
        write(
          strips
            ? system.encode(stripLines(old.path, text.slice(0, length), strip), "latin1")
            : bytes.subarray(0, length),
        )
        offset += length
        window = blockBytes
      }
    }
    while (offset < to) {
      yield* Effect.try({
        try: () => step(performance.now() + sliceMillis),
        catch: (error) => fsError(error, { path: old.path, what: "was not rewritten" }),
      })
      if (offset < to) yield* Effect.yieldNow
    }
  })

/** Makes the change, and answers with the file that is there then, open. */
export const rewriteFile = (
  system: HostSystem,
  old: JournalFile,
  change: FileRewrite,
): Effect.Effect<JournalFile, JournalError> => {
  const { path } = old
  const attempt = <A>(work: () => A): Effect.Effect<A, JournalError> =>
    Effect.try({ try: work, catch: (error) => fsError(error, { path, what: "was not rewritten" }) })
  return Effect.gen(function* () {
    const ownership = yield* attempt(() => system.files.fstatSync(old.descriptor))
    const parts = yield* attempt(() => partsOf(old, change))
    const descriptor = yield* replaceFile(system, path, ownership, (write) =>
      Effect.gen(function* () {
        for (const part of parts) yield* copy(system, old, part, change.strip, write)
        yield* attempt(() => write(system.encode(new LineEncoder().transaction(change.rows), "utf8")))
      }))
    return yield* attempt(() => {
      const segment = new JournalFile({ system, path, descriptor })
      const last = change.rows.at(-1)
      const head = last === undefined ? old.head : { position: last.position, hash: last.hash }
      segment.advance({ offset: segment.size(), head })
      return segment
    })
  })
}
