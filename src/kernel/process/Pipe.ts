/** Implements pipes: a ring buffer of 64 KiB between a reading and a writing end. Source: pipe(7). */
import { Errno } from "../Errno.ts"
import { OpenFile, type StopWaiting } from "../OpenFile.ts"
import { FileType, type Stat } from "../Stat.ts"
import { nextInode, plainStat } from "./plainStat.ts"
import { type DirectReader, WaitQueue } from "./WaitQueue.ts"

/** Capacity of a pipe in bytes. Source: pipe(7) "Pipe capacity". */
export const pipeCapacity = 65_536

/** Maximum bytes of an atomic write, which is written whole or not at all. Source: pipe(7) "PIPE_BUF". */
const pipeAtomic = 4_096

/**
 * Minimum size of a read buffer that gets bytes directly: at 4 KiB that took a tenth longer on Bun than waking the
 * reader.
 */
const minDirectBytes = 16_384

/** Buffers of closed pipes, kept for new ones: a fresh one costs more than a small pipeline writes. */
const spare: Array<Uint8Array<ArrayBuffer>> = []
const maxSpareBuffers = 32

/** Maximum number of bytes for which a loop is faster than a view and a copy. */
const maxLoopBytes = 24

const copy = (from: Uint8Array, start: number, count: number, into: Uint8Array, at: number): void => {
  if (count <= maxLoopBytes) { for (let index = 0; index < count; index++) into[at + index] = from[start + index] ?? 0 }
  else into.set(start === 0 && count === from.length ? from : from.subarray(start, start + count), at)
}

export class Ring {
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
  /** Whether an end can be reopened, so that bytes are kept while the other end is open. */
  readonly #isNamed: boolean

  constructor(gone: () => void, isNamed = false) {
    this.#gone = gone
    this.#isNamed = isNamed
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
    // An empty ring restarts at 0, so that most copies are in one piece.
    this.#start = this.length === 0 ? 0 : (start + count) % bytes.length
    if (!this.writers.idle && this.fitsAtomic) this.writers.wakeAll()
    return count
  }

  /** Hands bytes directly to waiting readers whose buffers they fill: the bytes are copied once instead of twice. */
  #deliver(from: Uint8Array): number {
    let at = 0
    while (this.length === 0 && this.readerOpen) {
      const reader = this.readers.takeDirectReader(from.length - at)
      if (reader === undefined) break
      const { length } = reader.bytes
      copy(from, at, length, reader.bytes, 0)
      at += length
      reader.complete(length)
    }
    return at
  }

  write(from: Uint8Array): number {
    if (from.length === 0) return 0
    if (!this.readerOpen) return -Errno.EPIPE
    const delivered = this.readers.idle ? 0 : this.#deliver(from)
    if (delivered > 0) {
      return delivered === from.length ? delivered : delivered + Math.max(0, this.write(from.subarray(delivered)))
    }
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

  get fitsAtomic(): boolean {
    return this.capacity - this.length >= pipeAtomic
  }

  /** Replaces the buffer by a larger one: only a pipe whose capacity was raised needs it. */
  #grow(minBytes: number): Uint8Array<ArrayBuffer> {
    const old = this.#bytes ?? new Uint8Array(0)
    const ring = new Uint8Array(Math.min(this.capacity, Math.max(minBytes, old.length * 2)))
    const first = Math.min(this.length, old.length - this.#start)
    ring.set(old.subarray(this.#start, this.#start + first))
    ring.set(old.subarray(0, this.length - first), first)
    this.#start = 0
    return this.#bytes = ring
  }

  closed(): void {
    this.readers.wakeAll()
    this.writers.wakeAll()
    this.enders.wakeAll()
    if (!this.readerOpen && !this.writerOpen) this.#gone()
    // Bytes that were written before the last writer closed can still be read.
    if (this.#isNamed ? this.readerOpen || this.writerOpen : this.readerOpen && (this.writerOpen || this.length > 0)) {
      return
    }
    if (this.#bytes?.length === pipeCapacity && spare.length < maxSpareBuffers) spare.push(this.#bytes)
    this.#bytes = undefined
    this.length = 0
  }
}

abstract class PipeEnd extends OpenFile {
  readonly type: FileType = FileType.unknown
  protected readonly ring: Ring

  constructor(ring: Ring) {
    super()
    this.ring = ring
  }

  override stat(): Stat {
    return plainStat(this.type, this.ring.inode, this.ring.length)
  }
}

export class PipeReader extends PipeEnd {
  /** `-EAGAIN` while it is empty and has a writer; 0 when it is empty and has none. */
  override read(into: Uint8Array): number {
    return this.ring.read(into)
  }

  override readable(): boolean {
    return this.ring.length > 0 || !this.ring.writerOpen
  }

  /** A write would fail at once. */
  override writable(): boolean {
    return true
  }

  override available(): number {
    return this.ring.length
  }

  override hungUp(): boolean {
    return !this.ring.writerOpen
  }

  /** Calls back once when it may be readable. A `reader` with a large buffer gets bytes directly instead. */
  override whenReadable(wake: () => void, reader?: DirectReader): StopWaiting {
    return this.ring.readers.add(
      wake,
      reader !== undefined && reader.bytes.length >= minDirectBytes ? reader : undefined,
    )
  }

  /** Resolves when the last writer or the last reader has closed; `undefined` if that has happened. */
  ended(): Promise<void> | undefined {
    const ring = this.ring
    if (!ring.writerOpen || !ring.readerOpen) return undefined
    return new Promise((resolve) => void ring.enders.add(resolve))
  }

  widen(capacity: number): void {
    if (capacity <= this.ring.capacity) return
    this.ring.capacity = capacity
    this.ring.writers.wakeAll()
  }

  protected override close(): void {
    this.ring.readerOpen = false
    this.ring.closed()
  }
}

export class PipeWriter extends PipeEnd {
  /** `-EPIPE` without a reader; `-EAGAIN` when it does not fit. */
  override write(from: Uint8Array): number {
    return this.ring.write(from)
  }

  /** Whether a write of {@link pipeAtomic} bytes would fit, as poll(2) defines for pipes. */
  override writable(): boolean {
    return this.ring.fitsAtomic || !this.ring.readerOpen
  }

  override hungUp(): boolean {
    return !this.ring.readerOpen
  }

  override whenWritable(wake: () => void): StopWaiting {
    return this.ring.writers.add(wake)
  }

  /** Doubles the capacity up to a limit; `false` if the limit is reached. */
  widen(limit: number): boolean {
    const ring = this.ring
    if (ring.capacity >= limit) return false
    ring.capacity = Math.min(limit, ring.capacity * 2)
    return true
  }

  protected override close(): void {
    this.ring.writerOpen = false
    this.ring.closed()
  }
}

/** Makes a pipe. Each end has one reference. `gone` is called when both ends have closed. */
export const makePipe = (gone: () => void = () => {}): { readonly reader: PipeReader; readonly writer: PipeWriter } => {
  const ring = new Ring(gone)
  return { reader: new PipeReader(ring), writer: new PipeWriter(ring) }
}
