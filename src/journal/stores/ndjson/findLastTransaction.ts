/**
 * Where the last whole transaction of a file ends.
 *
 * @module
 */
import type { Head } from "../../Entry.ts"
import type { Block } from "./BlockReader.ts"
import { corrupt } from "./fsError.ts"
import { maxLineBytes } from "./encodeLine.ts"
import { parseLine } from "./parseLine.ts"

/** The end of a whole transaction. */
export interface TransactionEnd {
  readonly offset: number
  readonly head: Head
  /** Where the hash of the last entry stands, if that is known. */
  readonly hashAt?: number
}

/** What is looked at. */
export interface EndSearch {
  readonly path: string
  readonly read: (from: number, to: number) => Block
  /** An end that is known: nothing before it is looked at. */
  readonly known: TransactionEnd
  /** The size of the file. */
  readonly size: number
  /** Whether a last line counts that ends as it should. One that does not is passed over; else it is `Corrupt`. */
  readonly isWhole?: ((block: Block, from: number, to: number) => boolean) | undefined
}

const firstWindow = 64 * 1024

/** Looks for it from the end of the file backwards: as far as the last transaction reaches, and no further. */
export const findLastTransaction = ({ isWhole, known, path, read, size }: EndSearch): TransactionEnd => {
  let high = size
  let window = firstWindow
  let last = true
  for (;;) {
    const low = Math.max(known.offset, high - window)
    const block = read(low, high)
    const { text } = block
    let end = text.lastIndexOf("\n")
    let moved = false
    while (end >= 0) {
      const before = end === 0 ? -1 : text.lastIndexOf("\n", end - 1)
      if (before < 0 && low > known.offset) break
      const line = parseLine(text, before + 1)
      const torn = last && isWhole !== undefined && (line === undefined || !isWhole(block, before + 1, end))
      if (!torn) {
        if (line === undefined) throw corrupt(path, `no entry stands in the line at byte ${low + before + 1}`)
        if (!line.more) {
          // A copy: a slice would hold on to the whole block.
          const hash = block.bytes.toString("latin1", line.hashAt, line.hashAt + 64)
          return { offset: low + end + 1, head: { position: line.position, hash }, hashAt: low + line.hashAt }
        }
      }
      last = false
      moved = true
      end = before
    }
    if (low === known.offset) return known
    if (end >= 0) high = low + end + 1
    window = moved ? firstWindow : window * 4
    if (window > 4 * maxLineBytes) throw corrupt(path, `its last line is longer than ${maxLineBytes} bytes`)
  }
}
