/**
 * A journal file that is open: where its entries begin and end, and where each is found.
 *
 * @module
 */
import { type Head, noHash, type Position } from "../../Entry.ts"
import { type Block, BlockReader } from "./BlockReader.ts"
import { maxHeaderBytes, readHeader } from "./fileHeader.ts"
import { type EndSearch, findLastTransaction, type TransactionEnd } from "./findLastTransaction.ts"
import { positionAt } from "./parseLine.ts"
import { OffsetIndex } from "./OffsetIndex.ts"
import type { HostSystem } from "./HostSystem.ts"

/** Which file it is, whatever it is called. */
export interface FileIdentity {
  readonly dev: number
  readonly ino: number
}

/** What a file was like when somebody looked. */
export interface FileStamp {
  readonly mtimeMs: number
  readonly size: number
}

/** Which file, and how it is opened. */
export interface JournalFileOptions {
  readonly system: HostSystem
  readonly path: string
  /** One that is open, and is closed by the segment from now on. */
  readonly descriptor: number
}

/**
 * One file under the journal's path. Pruning puts another in its place: then those who still read this one finish, and
 * it is closed after the last of them.
 */
export class JournalFile {
  readonly path: string
  readonly descriptor: number
  readonly identity: FileIdentity
  /** Where the first entry begins. */
  readonly base: number
  readonly offsets: OffsetIndex = new OffsetIndex()
  readonly #system: HostSystem
  readonly #reader: BlockReader
  /** Where the last whole transaction ends. */
  end: number
  head: Head = { position: 0, hash: noHash }
  /** The first position; 0 while there is none. */
  first: Position = 0
  /** Where the hash of the head stands, if that is known. */
  #hashAt: number | undefined
  #seen: FileStamp
  #readers = 0
  #retired = false

  /** Reads the first line of a file; not yet where it ends. Throws what the file system throws. */
  constructor({ descriptor, path, system }: JournalFileOptions) {
    this.#system = system
    this.#reader = new BlockReader(system, path)
    this.path = path
    this.descriptor = descriptor
    try {
      const { dev, ino, mtimeMs, size } = system.files.fstatSync(this.descriptor)
      this.identity = { dev, ino }
      this.#seen = { mtimeMs, size }
      this.base = readHeader(path, this.read(0, Math.min(size, maxHeaderBytes)).text)
      this.end = this.base
    } catch (error) {
      system.files.closeSync(this.descriptor)
      throw error
    }
  }

  /** The size of the file, with what is not whole yet. */
  size(): number {
    return this.#system.files.fstatSync(this.descriptor).size
  }

  read(from: number, to: number): Block {
    return this.#reader.read(this.descriptor, from, to)
  }

  /** Looks for more whole transactions, up to a size; answers with where they end. */
  findEnd(size: number, isWhole?: EndSearch["isWhole"]): TransactionEnd {
    const known = { offset: this.end, head: this.head }
    const read = this.read.bind(this)
    return findLastTransaction({ path: this.path, read, known, size, isWhole })
  }

  /** Goes on to an end that is known. */
  advance({ hashAt, head, offset }: TransactionEnd): void {
    if (offset === this.end) return
    if (this.first === 0) {
      this.first = positionAt(this.read(this.base, Math.min(offset, this.base + 64)).text, 0)
      this.offsets.add(this.first, this.base)
    } else {
      // Who follows goes on here.
      this.offsets.addReadEnd(this.head.position + 1, this.end)
    }
    this.end = offset
    this.head = head
    this.#hashAt = hashAt
  }

  /**
   * Whether the head still stands where it stood. Its hash covers all entries before it: they are the same then, unless
   * somebody changed them who is no journal.
   */
  isHeadInPlace(): boolean {
    const at = this.#hashAt
    return at === undefined || this.read(at, at + 64).text === this.head.hash
  }

  /** Whether the file was changed since the last look, and has not grown: what was appended may have been replaced. */
  hasChangedInPlace({ mtimeMs, size }: FileStamp): boolean {
    const changed = size < this.end || (mtimeMs !== this.#seen.mtimeMs && size <= this.#seen.size)
    this.#seen = { mtimeMs, size }
    return changed
  }

  /** Keeps it open while somebody reads it across turns. */
  acquire(): void {
    this.#readers++
  }

  release(): void {
    this.#readers--
    this.#closeUnlessRead()
  }

  /** It is no longer the journal's. */
  close(): void {
    if (this.#retired) return
    this.#retired = true
    this.#closeUnlessRead()
  }

  #closeUnlessRead(): void {
    if (this.#retired && this.#readers === 0) this.#system.files.closeSync(this.descriptor)
  }
}
