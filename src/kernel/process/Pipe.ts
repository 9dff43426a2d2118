/**
 * A pipe: a ring of 64 KiB between two open files.
 *
 * Source: pipe(7).
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import { OpenFile, type StopWaiting } from "../OpenFile.ts"
import { FileType, type Stat } from "../Stat.ts"
import { nextInode, plainStat } from "./plainStat.ts"
import { type DirectReader, WaitQueue } from "./WaitQueue.ts"

/** Bytes that a pipe holds. Source: pipe(7) "Pipe capacity". */
export const pipeCapacity = 65_536

/** A write of so many bytes or fewer is never torn: all of it is taken, or none. Source: pipe(7) "PIPE_BUF". */
export const pipeAtomic = 4_096

/** Who reads fewer bytes at a time is woken: at 4 KiB, giving them at once took a tenth more on Bun; at 16 KiB it gains. */
const fewestGiven = 16_384

/** Rings of pipes that are gone: a fresh one costs more than a small pipeline writes. */
const spare: Array<Uint8Array<ArrayBuffer>> = []
const spareLimit = 32

/** For fewer bytes a loop is faster than a view and a copy. */
const few = 24

const copy = (from: Uint8Array, start: number, count: number, into: Uint8Array, at: number): void => {
  if (count <= few) { for (let index = 0; index < count; index++) into[at + index] = from[start + index] ?? 0 }
  else into.set(start === 0 && count === from.length ? from : from.subarray(start, start + count), at)
}

/**
 * What both ends share.
 *
 * @internal
 */
class Ring {
  readonly inode: number = nextInode()
  readonly readers: WaitQueue = new WaitQueue()
  readonly writers: WaitQueue = new WaitQueue()
  readonly enders: WaitQueue = new WaitQueue()
  readerOpen: boolean = true
  writerOpen: boolean = true
  capacity: number = pipeCapacity
  length: number = 0
  #start = 0
  #bytes: Uint8Array<ArrayBuffer> | undefined
  readonly #gone: () => void

  constructor(gone: () => void) {
    this.#gone = gone
  }

  read(into: Uint8Array): number {
    const bytes = this.#bytes
    if (bytes === undefined || this.length === 0) return this.writerOpen && into.length > 0 ? -Errno.EAGAIN : 0
    const start = this.#start
    const count = Math.min(into.length, this.length)
    const first = Math.min(count, bytes.length - start)
    copy(bytes, start, first, into, 0)
    if (first < count) copy(bytes, 0, count - first, into, first)
    this.length -= count
    // An empty ring starts over, so that most copies are in one piece.
    this.#start = this.length === 0 ? 0 : (start + count) % bytes.length
    if (!this.writers.idle && this.roomy) this.writers.wakeAll()
    return count
  }

  /** Readers that wait are given the bytes that fill what they have for them: so these are copied once, and not twice. */
  #give(from: Uint8Array): number {
    let at = 0
    while (this.length === 0 && this.readerOpen) {
      const taker = this.readers.taker(from.length - at)
      if (taker === undefined) break
      const { length } = taker.bytes
      copy(from, at, length, taker.bytes, 0)
      at += length
      taker.complete(length)
    }
    return at
  }

  write(from: Uint8Array): number {
    if (from.length === 0) return 0
    if (!this.readerOpen) return -Errno.EPIPE
    const given = this.readers.idle ? 0 : this.#give(from)
    if (given > 0) return given === from.length ? given : given + Math.max(0, this.write(from.subarray(given)))
    const room = this.capacity - this.length
    if (room < from.length && (room === 0 || from.length <= pipeAtomic)) return -Errno.EAGAIN
    const count = Math.min(room, from.length)
    const bytes = this.#bytes ??= spare.pop() ?? new Uint8Array(pipeCapacity)
    const ring = this.length + count > bytes.length ? this.#grow(this.length + count) : bytes
    const end = (this.#start + this.length) % ring.length
    const first = Math.min(count, ring.length - end)
    copy(from, 0, first, ring, end)
    if (first < count) copy(from, first, count - first, ring, 0)
    this.length += count
    if (!this.readers.idle) this.readers.wakeAll()
    return count
  }

  /** Whether a write that must not be torn would be taken. */
  get roomy(): boolean {
    return this.capacity - this.length >= pipeAtomic
  }

  /** A larger ring, with the same bytes: only a pipe whose capacity was raised needs one. */
  #grow(least: number): Uint8Array<ArrayBuffer> {
    const old = this.#bytes ?? new Uint8Array(0)
    const ring = new Uint8Array(Math.min(this.capacity, Math.max(least, old.length * 2)))
    const first = Math.min(this.length, old.length - this.#start)
    ring.set(old.subarray(this.#start, this.#start + first))
    ring.set(old.subarray(0, this.length - first), first)
    this.#start = 0
    return this.#bytes = ring
  }

  /** One end is gone. */
  closed(): void {
    this.readers.wakeAll()
    this.writers.wakeAll()
    this.enders.wakeAll()
    if (!this.readerOpen && !this.writerOpen) this.#gone()
    // What was written before the last writer left is still to be read.
    if (this.readerOpen && (this.writerOpen || this.length > 0)) return
    if (this.#bytes?.length === pipeCapacity && spare.length < spareLimit) spare.push(this.#bytes)
    this.#bytes = undefined
    this.length = 0
  }
}

/** What both ends of a pipe do alike. */
export abstract class PipeEnd extends OpenFile {
  /** WASI has no name for a pipe. */
  readonly type: FileType = FileType.unknown
  /** What is between the ends. */
  protected readonly ring: Ring

  /** One end of a ring. */
  constructor(ring: Ring) {
    super()
    this.ring = ring
  }

  /** Its size is what is in the pipe. */
  override stat(): Stat {
    return plainStat(this.type, this.ring.inode, this.ring.length)
  }
}

/** Where a pipe is read: 0 once every writer is gone and the ring is empty. */
export class PipeReader extends PipeEnd {
  /** `-EAGAIN` while it is empty and somebody can write; 0 once nobody can. */
  override read(into: Uint8Array): number {
    return this.ring.read(into)
  }

  /** Whether there are bytes, or will be none. */
  override readable(): boolean {
    return this.ring.length > 0 || !this.ring.writerOpen
  }

  /** Whether a write would answer at once. */
  override writable(): boolean {
    return true
  }

  /** Bytes in the pipe. */
  override available(): number {
    return this.ring.length
  }

  /** Whether the other end is closed. */
  override hungUp(): boolean {
    return !this.ring.writerOpen
  }

  /** Calls back once when it may be readable, or when bytes lie where the taker wants them. */
  override whenReadable(wake: () => void, taker?: DirectReader): StopWaiting {
    return this.ring.readers.add(wake, taker !== undefined && taker.bytes.length >= fewestGiven ? taker : undefined)
  }

  /** When the last writer is gone, or the last reader. */
  ended(): Promise<void> | undefined {
    const ring = this.ring
    if (!ring.writerOpen || !ring.readerOpen) return undefined
    return new Promise((resolve) => void ring.enders.add(resolve))
  }

  /** Lets the pipe hold more than 64 KiB. It never becomes smaller. */
  widen(capacity: number): void {
    if (capacity <= this.ring.capacity) return
    this.ring.capacity = capacity
    this.ring.writers.wakeAll()
  }

  /** Nobody has it open any more. */
  protected override close(): void {
    this.ring.readerOpen = false
    this.ring.closed()
  }
}

/** Where a pipe is written: `-EPIPE` once every reader is gone. */
export class PipeWriter extends PipeEnd {
  /** `-EPIPE` when nobody reads; `-EAGAIN` when it does not fit. */
  override write(from: Uint8Array): number {
    return this.ring.write(from)
  }

  /** Whether a write of {@link pipeAtomic} bytes would be taken, as poll(2) says of pipes. */
  override writable(): boolean {
    return this.ring.roomy || !this.ring.readerOpen
  }

  /** Whether the other end is closed. */
  override hungUp(): boolean {
    return !this.ring.readerOpen
  }

  /** Calls back once when it may be writable. */
  override whenWritable(wake: () => void): StopWaiting {
    return this.ring.writers.add(wake)
  }

  /** Lets the pipe hold more than 64 KiB, up to a limit. `false` when it holds that much already. */
  widen(limit: number): boolean {
    const ring = this.ring
    if (ring.capacity >= limit) return false
    ring.capacity = Math.min(limit, ring.capacity * 2)
    return true
  }

  /** Nobody has it open any more. */
  protected override close(): void {
    this.ring.writerOpen = false
    this.ring.closed()
  }
}

/** Makes a pipe. Each end has one reference. `gone` is called when both ends are closed. */
export const makePipe = (gone: () => void = () => {}): { readonly reader: PipeReader; readonly writer: PipeWriter } => {
  const ring = new Ring(gone)
  return { reader: new PipeReader(ring), writer: new PipeWriter(ring) }
}
