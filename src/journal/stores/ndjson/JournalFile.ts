/** Tracks one open journal file: its identity, its first and last entry, and its readers. */
import type * as NodeFs from "node:fs"
import { type Head, noHash, type Position } from "../../Entry.ts"
import type { StoreSize } from "../../JournalStore.ts"
import { type Block, BlockReader } from "./BlockReader.ts"
import type { HostSystem } from "./HostSystem.ts"
import { maxLineBytes } from "./encodeLine.ts"
import { maxHeaderBytes, readHeader } from "./fileHeader.ts"
import { corruptError } from "./fsError.ts"
import { parseLine, positionAt } from "./parseLine.ts"

interface TransactionEnd {
  readonly offset: number
  readonly head: Head
  readonly hashAt?: number
}

export interface EntryOffset {
  readonly position: Position
  readonly offset: number
}

type IsWhole = (block: Block, from: number, to: number) => boolean

const firstWindow = 64 * 1024

export type FileIdentity = Pick<NodeFs.Stats, "dev" | "ino">

/** Whether two identities belong to the same file. Wine reports device 0 for an open file that was renamed. */
export const isSameFile = (a: FileIdentity, b: FileIdentity): boolean =>
  a.ino === b.ino && (a.dev === b.dev || a.dev === 0 || b.dev === 0)

export type FileStamp = Pick<NodeFs.Stats, "mtimeMs" | "size">

export interface JournalFileOptions {
  readonly system: HostSystem
  readonly path: string
  /** An open descriptor, which the journal file closes. */
  readonly descriptor: number
}

/**
 * One file at the journal's path. A prune replaces the file: readers that have acquired it finish, and the last of them
 * closes it.
 */
export class JournalFile {
  readonly path: string
  readonly descriptor: number
  readonly identity: FileIdentity
  readonly base: number
  /** The end of the last forward scan, where the next one probably starts. */
  readEnd: EntryOffset | undefined
  readonly #system: HostSystem
  readonly #reader: BlockReader
  /** The end of the last complete transaction. */
  end: number
  head: Head = { position: 0, hash: noHash }
  /** The first position; 0 when there is no entry. */
  first: Position = 0
  #hashAt: number | undefined
  #stamp: FileStamp
  #readers = 0
  #isClosing = false

  /** Reads the header; the end is not known yet. Throws what the file system throws. */
  constructor({ descriptor, path, system }: JournalFileOptions) {
    this.#system = system
    this.#reader = new BlockReader(system, path)
    this.path = path
    this.descriptor = descriptor
    try {
      const { dev, ino, mtimeMs, size } = system.files.fstatSync(this.descriptor)
      this.identity = { dev, ino }
      this.#stamp = { mtimeMs, size }
      this.base = readHeader(path, this.read(0, Math.min(size, maxHeaderBytes)).text)
      this.end = this.base
    } catch (error) {
      system.files.closeSync(this.descriptor)
      throw error
    }
  }

  get storeSize(): StoreSize {
    return {
      entries: this.first === 0 ? 0 : this.head.position - this.first + 1,
      bytes: this.end,
      first: this.first,
    }
  }

  /** The size of the file, with an incomplete transaction at its end. */
  size(): number {
    return this.#system.files.fstatSync(this.descriptor).size
  }

  read(from: number, to: number): Block {
    return this.#reader.read(this.descriptor, from, to)
  }

  /**
   * Finds the end of the last complete transaction in the first `size` bytes; reads nothing before the known end. A last
   * line with a newline that is not whole is skipped; without `isWhole` it is `Corrupt`.
   */
  findEnd(size: number, isWhole?: IsWhole): TransactionEnd {
    let high = size
    let window = firstWindow
    let isLast = true
    for (;;) {
      const low = Math.max(this.end, high - window)
      const block = this.read(low, high)
      const { text } = block
      let end = text.lastIndexOf("\n")
      let hasMoved = false
      while (end >= 0) {
        const before = end === 0 ? -1 : text.lastIndexOf("\n", end - 1)
        if (before < 0 && low > this.end) break
        const line = parseLine(text, before + 1)
        const isTorn = isLast && isWhole !== undefined && (line === undefined || !isWhole(block, before + 1, end))
        if (!isTorn) {
          if (line === undefined) throw corruptError(this.path, `the line at byte ${low + before + 1} is not an entry`)
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
      if (low === this.end) return { offset: this.end, head: this.head }
      if (end >= 0) high = low + end + 1
      window = hasMoved ? firstWindow : window * 4
      if (window > 4 * maxLineBytes) throw corruptError(this.path, `its last line is longer than ${maxLineBytes} bytes`)
    }
  }

  advance({ hashAt, head, offset }: TransactionEnd): void {
    if (offset === this.end) return
    if (this.first === 0) {
      this.first = positionAt(this.read(this.base, Math.min(offset, this.base + 64)).text, 0)
    } else {
      // Tails continue here.
      this.readEnd = { position: this.head.position + 1, offset: this.end }
    }
    this.end = offset
    this.head = head
    this.#hashAt = hashAt
  }

  /**
   * Whether the head's hash is still at its offset. The hash covers all earlier entries, so they are unchanged, unless
   * another program edited them.
   */
  isHeadInPlace(): boolean {
    const at = this.#hashAt
    return at === undefined || this.read(at, at + 64).text === this.head.hash
  }

  /** Whether the file was changed since the last call without growing: its end may have been replaced. */
  hasChangedInPlace({ mtimeMs, size }: FileStamp): boolean {
    const hasChanged = size < this.end || (mtimeMs !== this.#stamp.mtimeMs && size <= this.#stamp.size)
    this.#stamp = { mtimeMs, size }
    return hasChanged
  }

  /** Keeps the file open for a read that yields. */
  acquire(): void {
    this.#readers++
  }

  release(): void {
    this.#readers--
    this.#closeUnlessRead()
  }

  /** Closes the file once no read uses it. */
  close(): void {
    if (this.#isClosing) return
    this.#isClosing = true
    this.#closeUnlessRead()
  }

  #closeUnlessRead(): void {
    if (this.#isClosing && this.#readers === 0) this.#system.files.closeSync(this.descriptor)
  }
}
