/** Walks over the lines of a journal file between two positions, block by block, forward or backward. */
import type { Position } from "../../Entry.ts"
import type { JournalError } from "../../JournalError.ts"
import type { Scan } from "../../JournalStore.ts"
import type { Block } from "./BlockReader.ts"
import type { JournalFile } from "./JournalFile.ts"
import { maxLineBytes } from "./encodeLine.ts"
import { findOffset } from "./findOffset.ts"
import { corruptError } from "./fsError.ts"
import { positionAt } from "./parseLine.ts"

export interface LineVisitor {
  readonly isDone: boolean
  /** Whether the last line exceeded the limit and was not taken. */
  readonly isFull: boolean
  /** The number of lines that are still needed; `Infinity` when it may skip lines. */
  readonly missing: number
  /** Whether a line may be taken: a fast test before `addLine`. */
  readonly mayMatch: (block: Block, at: number, end: number) => boolean
  readonly addLine: (block: Block, at: number, end: number, position: Position) => void
}

export interface LineWalk {
  /** Continues until the walk is complete or `performance.now()` reaches a time; returns whether it is complete. */
  readonly step: (until: number) => boolean
}

const minWindow = 4 * 1024
const firstWindow = 32 * 1024
const maxWindow = 256 * 1024

/** The number of bytes to read next: about as many as the missing lines have. */
const windowFor = ({ base, end, first, head }: JournalFile, rows: LineVisitor, max: number): number => {
  const lineBytes = (end - base) / (head.position - first + 1)
  return Math.max(minWindow, Math.min(max, Math.ceil(1.25 * lineBytes * (rows.missing + 1))))
}

const enlarge = (window: number, file: JournalFile, position: Position): number => {
  if (window > 2 * maxLineBytes) {
    throw corruptError(file.path, `its line is longer than ${maxLineBytes} bytes`, position)
  }
  return window * 4
}

const wrongLine = (file: JournalFile, expected: Position, found: Position): JournalError =>
  corruptError(file.path, found < 0 ? "its line is not an entry" : `entry ${found} is in its place`, expected)

/** The position of a line: the expected one, or one beyond it in the direction of the scan. */
const readPosition = (file: JournalFile, { order }: Scan, text: string, at: number, expected: Position): Position => {
  const found = positionAt(text, at)
  if (found < 0 || (order === "backward" ? found > expected : found < expected)) throw wrongLine(file, expected, found)
  return found
}

const complete: LineWalk = { step: () => true }

const repeatBlocks = (readBlock: () => boolean, onComplete: () => void = () => {}): LineWalk => ({
  step: (until) => {
    while (readBlock()) if (performance.now() >= until) return false
    onComplete()
    return true
  },
})

const walkForward = (file: JournalFile, scan: Scan, rows: LineVisitor): LineWalk => {
  const { after = 0, before = Infinity } = scan
  const { end, first, head } = file
  const last = Math.min(before - 1, head.position)
  let expected = Math.max(after + 1, first)
  if (first === 0 || expected > last || rows.isDone) return complete
  let offset = findOffset(file, expected)
  let window = windowFor(file, rows, firstWindow)

  const readBlock = (): boolean => {
    const block = file.read(offset, Math.min(end, offset + window))
    const { text } = block
    let at = 0
    for (let newline = text.indexOf("\n"); newline >= 0; newline = text.indexOf("\n", at)) {
      expected = readPosition(file, scan, text, at, expected)
      if (expected > last) break
      if (rows.mayMatch(block, at, newline)) rows.addLine(block, at, newline, expected)
      // The next scan starts with the line that exceeded the limit.
      if (rows.isFull) break
      expected++
      at = newline + 1
      if (rows.isDone || expected > last) break
    }
    const isLastBlock = text.length >= end - offset
    offset += at
    if (rows.isDone || expected > last) return false
    if (at === 0 && isLastBlock) throw wrongLine(file, expected, -1)
    window = at === 0 ? enlarge(window, file, expected) : windowFor(file, rows, maxWindow)
    return true
  }

  return repeatBlocks(readBlock, () => {
    file.readEnd = { position: expected, offset }
  })
}

const walkBackward = (file: JournalFile, scan: Scan, rows: LineVisitor): LineWalk => {
  const { after = 0, before = Infinity } = scan
  const { base, first, head } = file
  const from = Math.max(after + 1, first)
  let expected = Math.min(before - 1, head.position)
  if (first === 0 || expected < from || rows.isDone) return complete
  let offset = findOffset(file, expected + 1)
  let window = windowFor(file, rows, firstWindow)

  const readBlock = (): boolean => {
    const low = Math.max(base, offset - window)
    const block = file.read(low, offset)
    const { text } = block
    // The first line of the block is whole only where the first entry of the file begins.
    const wholeFrom = low === base ? 0 : text.indexOf("\n") + 1
    let end = text.length - 1
    if (!text.endsWith("\n")) throw wrongLine(file, expected, -1)
    if (wholeFrom > end || (wholeFrom === 0 && low !== base)) {
      window = enlarge(window, file, expected)
      return true
    }
    while (end >= wholeFrom) {
      const at = end === 0 ? 0 : text.lastIndexOf("\n", end - 1) + 1
      expected = readPosition(file, scan, text, at, expected)
      if (expected < from) return false
      if (rows.mayMatch(block, at, end)) rows.addLine(block, at, end, expected)
      expected--
      if (rows.isDone || expected < from) return false
      end = at - 1
    }
    offset = low + wholeFrom
    window = windowFor(file, rows, maxWindow)
    return true
  }

  return repeatBlocks(readBlock)
}

export const walkLines = (file: JournalFile, scan: Scan, rows: LineVisitor): LineWalk =>
  scan.order === "backward" ? walkBackward(file, scan, rows) : walkForward(file, scan, rows)
