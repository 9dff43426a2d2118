/**
 * Finds the end of the last complete transaction, from the end of a file backward.
 *
 * @module
 */
import type { Head } from "../../Entry.ts"
import type { Block } from "./BlockReader.ts"
import { maxLineBytes } from "./encodeLine.ts"
import { corruptError } from "./fsError.ts"
import { parseLine } from "./parseLine.ts"

/** The end of a complete transaction. */
export interface TransactionEnd {
  readonly offset: number
  readonly head: Head
  /** The offset of the last entry's hash, if it is known. */
  readonly hashAt?: number
}

/** The part of a file to search. */
export interface EndSearch {
  readonly path: string
  readonly read: (from: number, to: number) => Block
  /** A known end: nothing before it is read. */
  readonly known: TransactionEnd
  /** The size of the file. */
  readonly size: number
  /** Whether a last line with a newline counts. One that does not is skipped; without this test it is `Corrupt`. */
  readonly isWhole?: ((block: Block, from: number, to: number) => boolean) | undefined
}

const firstWindow = 64 * 1024

/** Searches as far back as the last transaction reaches. */
export const findLastTransaction = ({ isWhole, known, path, read, size }: EndSearch): TransactionEnd => {
  let high = size
  let window = firstWindow
  let isLast = true
  for (;;) {
    const low = Math.max(known.offset, high - window)
    const block = read(low, high)
    const { text } = block
    let end = text.lastIndexOf("\n")
    let hasMoved = false
    while (end >= 0) {
      const before = end === 0 ? -1 : text.lastIndexOf("\n", end - 1)
      if (before < 0 && low > known.offset) break
      const line = parseLine(text, before + 1)
      const isTorn = isLast && isWhole !== undefined && (line === undefined || !isWhole(block, before + 1, end))
      if (!isTorn) {
        if (line === undefined) throw corruptError(path, `no entry stands in the line at byte ${low + before + 1}`)
        if (!line.more) {
          // A copy: a substring would keep the whole block in memory.
          const hash = block.bytes.toString("latin1", line.hashAt, line.hashAt + 64)
          return { offset: low + end + 1, head: { position: line.position, hash }, hashAt: low + line.hashAt }
        }
      }
      isLast = false
      hasMoved = true
      end = before
    }
    if (low === known.offset) return known
    if (end >= 0) high = low + end + 1
    window = hasMoved ? firstWindow : window * 4
    if (window > 4 * maxLineBytes) throw corruptError(path, `its last line is longer than ${maxLineBytes} bytes`)
  }
}
