/** Finds the byte offset of an entry in a journal file by bisection: every line starts with its position. */
import type { Position } from "../../Entry.ts"
import { maxLineBytes } from "./encodeLine.ts"
import { corruptError } from "./fsError.ts"
import type { EntryOffset, JournalFile } from "./JournalFile.ts"
import { positionAt } from "./parseLine.ts"

const nearBytes = 16 * 1024

const probeBytes = 4 * 1024

/** Number of bytes at the start of a line that always contain its position. */
const positionBytes = 40

/** Maximum number of consecutive damaged lines that a probe skips; the scan that reads these lines reports them. */
const maxSkippedLines = 8

const findEntryBetween = (file: JournalFile, from: number, to: number): EntryOffset | undefined => {
  let start = from
  let window = probeBytes
  let skipped = 0
  while (start < to && window <= 2 * maxLineBytes) {
    const { text } = file.read(start, Math.min(file.end, start + window))
    const newline = text.indexOf("\n")
    const offset = start + newline + 1
    if (newline >= 0 && offset >= to) return undefined
    if (newline < 0 || text.length - newline < positionBytes) {
      if (start + text.length >= file.end) return undefined
      window *= 4
      continue
    }
    const position = positionAt(text, newline + 1)
    if (position > 0) return { position, offset }
    if (++skipped > maxSkippedLines) return undefined
    start = offset
  }
  return undefined
}

const walkTo = (file: JournalFile, low: EntryOffset, position: Position): number => {
  let { offset } = low
  let last = low.position - 1
  /** Whether the line before is damaged, and so may be the wanted one. */
  let isDamaged = false
  let window = nearBytes
  while (offset < file.end) {
    const { text } = file.read(offset, Math.min(file.end, offset + window))
    let at = 0
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
      const found = positionAt(text, at)
      if (found > position && isDamaged) {
        throw corruptError(file.path, "its line is no entry, or another entry's", position)
      }
      if (found >= position) return offset + at
      isDamaged = found <= last
      if (!isDamaged) last = found
      at = end + 1
    }
    offset += at
    window = at === 0 ? window * 4 : nearBytes * 4
    if (window > 4 * maxLineBytes) throw corruptError(file.path, "its line is too long", last + 1)
  }
  return file.end
}

/** The offset of an entry, or of the first one after it; the end of the file when there is none. */
export const findOffset = (file: JournalFile, position: Position): number => {
  const { base, end, first, head, readEnd } = file
  if (first === 0 || position > head.position) return end
  if (position <= first) return base
  if (position === readEnd?.position) return readEnd.offset
  let low: EntryOffset = { position: first, offset: base }
  // The line begins before this offset.
  let high = end
  while (high - low.offset > nearBytes) {
    const middle = low.offset + Math.floor((high - low.offset) / 2)
    const found = findEntryBetween(file, middle, high)
    if (found === undefined || found.position > position) high = middle + 1
    else low = found
  }
  return walkTo(file, low, position)
}
