/** Replaces a journal file with a copy without its pruned entries and bodies. */
import * as Effect from "effect/Effect"
import type { Position, Row } from "../../Entry.ts"
import type { JournalError } from "../../JournalError.ts"
import { maxBlockingMillis } from "./BlockReader.ts"
import { bodyKey, LineEncoder, maxLineBytes } from "./encodeLine.ts"
import { findOffset } from "./findOffset.ts"
import { attemptFile, corruptError } from "./fsError.ts"
import type { HostSystem } from "./HostSystem.ts"
import { JournalFile } from "./JournalFile.ts"
import { positionAt } from "./parseLine.ts"
import { replaceFile, type WriteBytes } from "./replaceFile.ts"

export interface FilePrune {
  readonly removedThrough: Position
  readonly strippedPositions: ReadonlySet<Position>
  readonly rows: ReadonlyArray<Row>
}

const blockBytes = 256 * 1024

const stripLines = (path: string, text: string, positions: ReadonlySet<Position>): string => {
  const parts: Array<string> = []
  let from = 0
  let at = 0
  for (let newline = text.indexOf("\n"); newline >= 0; newline = text.indexOf("\n", at)) {
    const position = positionAt(text, at)
    if (positions.has(position)) {
      const keyAt = text.indexOf(bodyKey, at)
      if (keyAt < 0 || keyAt > newline) throw corruptError(path, "its line is not an entry", position)
      parts.push(text.slice(from, keyAt + bodyKey.length), "null}\n")
      from = newline + 1
    }
    at = newline + 1
  }
  parts.push(text.slice(from))
  return parts.join("")
}

interface FilePart {
  readonly from: number
  readonly to: number
  readonly isStripped: boolean
}

const partsToCopy = (file: JournalFile, { removedThrough, strippedPositions }: FilePrune): ReadonlyArray<FilePart> => {
  const from = findOffset(file, removedThrough + 1)
  let first = Infinity
  let last = 0
  for (const position of strippedPositions) {
    if (position <= removedThrough || position > file.head.position) continue
    first = Math.min(first, position)
    last = Math.max(last, position)
  }
  const header = { from: 0, to: file.base, isStripped: false }
  if (last === 0) return [header, { from, to: file.end, isStripped: false }]
  const stripFrom = findOffset(file, first)
  const stripTo = findOffset(file, last + 1)
  return [
    header,
    { from, to: stripFrom, isStripped: false },
    { from: stripFrom, to: stripTo, isStripped: true },
    { from: stripTo, to: file.end, isStripped: false },
  ]
}

const copyPart = (
  system: HostSystem,
  file: JournalFile,
  { from, isStripped, to }: FilePart,
  strippedPositions: ReadonlySet<Position>,
  write: WriteBytes,
): Effect.Effect<void, JournalError> =>
  Effect.gen(function* () {
    let offset = from
    let window = blockBytes
    const copyUntil = (until: number): void => {
      while (offset < to && performance.now() < until) {
        const { bytes, text } = file.read(offset, Math.min(to, offset + window))
        const length = isStripped ? text.lastIndexOf("\n") + 1 : text.length
        if (length === 0) {
          if (window > 2 * maxLineBytes) throw corruptError(file.path, `a line is longer than ${maxLineBytes} bytes`)
          window *= 4
          continue
        }
        write(
          isStripped
            ? system.encode(stripLines(file.path, text.slice(0, length), strippedPositions), "latin1")
            : bytes.subarray(0, length),
        )
        offset += length
        window = blockBytes
      }
    }
    while (offset < to) {
      yield* attemptFile(
        { path: file.path, what: "was not rewritten" },
        () => copyUntil(performance.now() + maxBlockingMillis),
      )
      if (offset < to) yield* Effect.yieldNow
    }
  })

/** Prunes the file; returns the new one, open. When it fails or is interrupted, the old file stays. */
export const pruneFile = (
  system: HostSystem,
  file: JournalFile,
  prune: FilePrune,
): Effect.Effect<JournalFile, JournalError> => {
  const { path } = file
  const attempt = <A>(work: () => A): Effect.Effect<A, JournalError> =>
    attemptFile({ path, what: "was not rewritten" }, work)
  return Effect.gen(function* () {
    const ownership = yield* attempt(() => system.files.fstatSync(file.descriptor))
    const parts = yield* attempt(() => partsToCopy(file, prune))
    const descriptor = yield* replaceFile(system, path, ownership, (write) =>
      Effect.gen(function* () {
        for (const part of parts) yield* copyPart(system, file, part, prune.strippedPositions, write)
        yield* attempt(() => write(system.encode(new LineEncoder().transaction(prune.rows), "utf8")))
      }))
    return yield* attempt(() => {
      const pruned = new JournalFile({ system, path, descriptor })
      const last = prune.rows.at(-1)
      const head = last === undefined ? file.head : { position: last.position, hash: last.hash }
      pruned.advance({ offset: pruned.size(), head })
      return pruned
    })
  })
}
