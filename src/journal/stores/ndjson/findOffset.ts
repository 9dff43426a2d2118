/**
 * Finds where an entry stands: by halves, as every line says its position.
 *
 * @module
 */
import type { Position } from "../../Entry.ts"
import { corrupt } from "./fsError.ts"
import { maxLineBytes } from "./encodeLine.ts"
import type { EntryOffset } from "./OffsetIndex.ts"
import { positionAt } from "./parseLine.ts"
import type { JournalFile } from "./JournalFile.ts"

/** What is walked line by line at the end. */
const nearBytes = 16 * 1024

/** What is read to find the start of a line. */
const probeBytes = 4 * 1024

/** Lines that are passed over when they are no entries: somebody else will say so. */
const patience = 8

/** The first entry whose line begins after `from` and before `to`. */
const entryBetween = (segment: JournalFile, from: number, to: number): EntryOffset | undefined => {
  let start = from
  let wanted = probeBytes
  let passed = 0
  while (start < to && wanted <= 2 * maxLineBytes) {
    const { text } = segment.read(start, Math.min(segment.end, start + wanted))
    const newline = text.indexOf("\n")
    const offset = start + newline + 1
    if (newline >= 0 && offset >= to) return undefined
    if (newline < 0 || text.length - newline < 40) {
      if (start + text.length >= segment.end) return undefined
      wanted *= 4
      continue
    }
    const position = positionAt(text, newline + 1)
    if (position > 0) return { position, offset }
    if (++passed > patience) return undefined
    start = offset
  }
  return undefined
}

/** Walks from an entry to the first at or beyond a position, which is near. */
const walk = (segment: JournalFile, low: EntryOffset, position: Position): number => {
  let { offset } = low
  let last = low.position - 1
  let window = nearBytes
  while (offset < segment.end) {
    const { text } = segment.read(offset, Math.min(segment.end, offset + window))
    let at = 0
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
      const found = positionAt(text, at)
      if (found <= last) throw corrupt(segment.path, "its line is no entry, or another's", last + 1)
      if (found >= position) return offset + at
      last = found
      at = end + 1
    }
    offset += at
    window = at === 0 ? window * 4 : nearBytes * 4
    if (window > 4 * maxLineBytes) throw corrupt(segment.path, "its line is too long", last + 1)
  }
  return segment.end
}

/** The offset of an entry, or of the first beyond it; the end where there is none. */
export const findOffset = (segment: JournalFile, position: Position): number => {
  const { base, end, first, head, offsets: index } = segment
  if (first === 0 || position > head.position) return end
  if (position <= first) return base
  const known = index.offsetOf(position)
  if (known !== undefined) return known
  const marks = index.neighbours(position)
  let low = marks.low ?? { position: first, offset: base }
  // No line that begins here or later is meant.
  let high = marks.high?.offset ?? end
  while (high - low.offset > nearBytes) {
    const middle = low.offset + Math.floor((high - low.offset) / 2)
    const found = entryBetween(segment, middle, high)
    if (found === undefined || found.position > position) {
      high = middle + 1
    } else {
      low = found
    }
    if (found !== undefined) index.add(found.position, found.offset)
  }
  return walk(segment, low, position)
}
