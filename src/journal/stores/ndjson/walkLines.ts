/**
 * Walks the lines of a file, block by block, in either direction.
 *
 * Every line on the way must be an entry that comes after the one before it; only those that are meant are read further
 * than their position. That none is missing is for the chain to say. Stretches that cannot hold what a filter means are
 * passed over unread; what others hold is learned on the way.
 *
 * @module
 */
import type { Position } from "../../Entry.ts"
import type { Scan } from "../../JournalStore.ts"
import { corrupt } from "./fsError.ts"
import { maxLineBytes } from "./encodeLine.ts"
import { findOffset } from "./findOffset.ts"
import { positionAt } from "./parseLine.ts"
import type { RowCollector } from "./RowCollector.ts"
import type { JournalFile } from "./JournalFile.ts"

/** A scan that is under way. */
export interface LineWalk {
  /** Goes on until it has all, or until a time of `performance.now()`; whether it has all. */
  readonly step: (until: number) => boolean
}

const smallestWindow = 4 * 1024
const firstWindow = 32 * 1024
const largestWindow = 256 * 1024

/** About as much as holds the lines that are wanted, and not much more; what was too small is made larger. */
const windowFor = ({ base, end, first, head }: JournalFile, reader: RowCollector, largest: number): number => {
  const line = (end - base) / (head.position - first + 1)
  return Math.max(smallestWindow, Math.min(largest, Math.ceil(1.25 * line * (reader.room + 1))))
}

const larger = (window: number, segment: JournalFile, position: Position): number => {
  if (window > 2 * maxLineBytes) throw corrupt(segment.path, `its line is longer than ${maxLineBytes} bytes`, position)
  return window * 4
}

const wrong = (segment: JournalFile, expected: Position, found: Position) =>
  corrupt(segment.path, found < 0 ? "its line is no entry" : `entry ${found} stands in its place`, expected)

/** The position of a line: the one that is expected, or one beyond it in the scan's direction. */
const next = (segment: JournalFile, { order }: Scan, text: string, at: number, expected: Position): Position => {
  const found = positionAt(text, at)
  if (found < 0 || (order === "backward" ? found > expected : found < expected)) throw wrong(segment, expected, found)
  return found
}

const forward = (segment: JournalFile, scan: Scan, reader: RowCollector): LineWalk => {
  const { after = 0, before = Infinity } = scan
  const { end, first, head } = segment
  const last = Math.min(before - 1, head.position)
  let expected = Math.max(after + 1, first)
  if (first === 0 || expected > last || reader.done) return { step: () => true }
  let offset = findOffset(segment, expected)
  let window = windowFor(segment, reader, firstWindow)

  /** Reads a block; whether there is more to read. */
  const block = (): boolean => {
    const part = segment.read(offset, Math.min(end, offset + window))
    const { text } = part
    let at = 0
    for (let newline = text.indexOf("\n"); newline >= 0; newline = text.indexOf("\n", at)) {
      expected = next(segment, scan, text, at, expected)
      if (expected > last) break
      reader.take(part, at, newline, expected)
      // What was one too much is where the next scan begins.
      if (reader.refused) break
      expected++
      at = newline + 1
      if (reader.done || expected > last) break
    }
    const left = end - offset
    offset += at
    if (reader.done || expected > last) return false
    if (at === 0 && text.length >= left) throw wrong(segment, expected, -1)
    window = at === 0 ? larger(window, segment, expected) : windowFor(segment, reader, largestWindow)
    return true
  }

  return {
    step: (until) => {
      while (block()) if (performance.now() >= until) return false
      segment.offsets.addReadEnd(expected, offset)
      return true
    },
  }
}

const backward = (segment: JournalFile, scan: Scan, reader: RowCollector): LineWalk => {
  const { after = 0, before = Infinity } = scan
  const { base, first, head } = segment
  const from = Math.max(after + 1, first)
  let expected = Math.min(before - 1, head.position)
  if (first === 0 || expected < from || reader.done) return { step: () => true }
  let offset = findOffset(segment, expected + 1)
  let window = windowFor(segment, reader, firstWindow)

  const block = (): boolean => {
    const low = Math.max(base, offset - window)
    const part = segment.read(low, offset)
    const { text } = part
    // The first line of the block is whole only where the file's first begins.
    const whole = low === base ? 0 : text.indexOf("\n") + 1
    let end = text.length - 1
    if (text.charCodeAt(end) !== 10) throw wrong(segment, expected, -1)
    if (whole > end || (whole === 0 && low !== base)) {
      window = larger(window, segment, expected)
      return true
    }
    while (end >= whole) {
      const at = end === 0 ? 0 : text.lastIndexOf("\n", end - 1) + 1
      expected = next(segment, scan, text, at, expected)
      if (expected < from) return false
      reader.take(part, at, end, expected)
      if (reader.refused) return false
      expected--
      if (reader.done || expected < from) return false
      end = at - 1
    }
    offset = low + whole
    window = windowFor(segment, reader, largestWindow)
    return true
  }

  return {
    step: (until) => {
      while (block()) if (performance.now() >= until) return false
      return true
    },
  }
}

/** Begins to walk over the entries of a file that a scan may mean. */
export const walkLines = (segment: JournalFile, scan: Scan, reader: RowCollector): LineWalk =>
  scan.order === "backward" ? backward(segment, scan, reader) : forward(segment, scan, reader)
