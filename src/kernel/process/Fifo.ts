/**
 * Implements the open ends of a FIFO. Opening never waits: an end waits for its peer at its first read or write, or by the system
 * call `opened`, as open(2) does. Source: fifo(7), open(2).
 */
import { Errno } from "../Errno.ts"
import type { StopWaiting } from "../OpenFile.ts"
import type { Stat } from "../Stat.ts"
import { PipeReader, PipeWriter, Ring } from "./Pipe.ts"
import { WaitQueue } from "./WaitQueue.ts"

/** Counts the buffer of an open FIFO. `take` returns 0 or an errno. */
export interface BufferAccount {
  readonly take: () => number
  readonly give: () => void
}

/** The state that all open ends of a FIFO share. */
export class Fifo {
  readonly stat: () => Stat
  /** Ends that wait for a peer. */
  readonly opening: WaitQueue = new WaitQueue()
  readonly #account: BufferAccount
  #ring: Ring | undefined
  #open = { readers: 0, writers: 0 }
  /** Number of times that each end was opened: a peer that was closed again counts, too. */
  readonly opened = { readers: 0, writers: 0 }

  constructor(stat: () => Stat, account: BufferAccount) {
    this.stat = stat
    this.#account = account
  }

  get hasReader(): boolean {
    return this.#open.readers > 0
  }

  get hasWriter(): boolean {
    return this.#open.writers > 0
  }

  /** Makes the buffer before the first end is opened. Returns 0 or an errno. */
  begin(): number {
    if (this.#ring !== undefined) return 0
    const taken = this.#account.take()
    if (taken < 0) return taken
    this.#ring = new Ring(() => {
      this.#ring = undefined
      this.#account.give()
    }, true)
    this.#ring.readerOpen = false
    this.#ring.writerOpen = false
    return 0
  }

  /** Adds an open end, and returns the buffer. */
  enter(...ends: ReadonlyArray<"readers" | "writers">): Ring {
    if (this.#ring === undefined) this.begin()
    const ring = this.#ring ?? new Ring(() => {}, true)
    for (const end of ends) {
      this.#open[end]++
      this.opened[end]++
    }
    this.#update(ring)
    this.opening.wakeAll()
    ring.readers.wakeAll()
    ring.writers.wakeAll()
    return ring
  }

  leave(...ends: ReadonlyArray<"readers" | "writers">): void {
    const ring = this.#ring
    for (const end of ends) this.#open[end]--
    if (ring === undefined) return
    const [hadReader, hadWriter] = [ring.readerOpen, ring.writerOpen]
    this.#update(ring)
    if (hadReader !== ring.readerOpen || hadWriter !== ring.writerOpen) ring.closed()
  }

  #update(ring: Ring): void {
    ring.readerOpen = this.hasReader
    ring.writerOpen = this.hasWriter
  }
}

/** An open file that waits for another end of its FIFO. */
export interface FifoEnd {
  /** Whether the other end is or was open. */
  readonly hasMet: boolean
  /** Calls back once when another end was opened. */
  readonly whenOpened: (wake: () => void) => StopWaiting
}

export class FifoReader extends PipeReader implements FifoEnd {
  readonly #fifo: Fifo
  readonly #before: number
  #met: boolean

  constructor(fifo: Fifo, isNonBlocking: boolean) {
    super(fifo.enter("readers"))
    this.#fifo = fifo
    this.#met = isNonBlocking || fifo.hasWriter
    this.#before = fifo.opened.writers
  }

  get hasMet(): boolean {
    return this.#met ||= this.#fifo.opened.writers > this.#before
  }

  whenOpened(wake: () => void): StopWaiting {
    return this.#fifo.opening.add(wake)
  }

  override read(into: Uint8Array): number {
    return this.hasMet ? super.read(into) : -Errno.EAGAIN
  }

  override readable(): boolean {
    return this.hasMet && super.readable()
  }

  override hungUp(): boolean {
    return this.hasMet && super.hungUp()
  }

  override stat(): Stat {
    return this.#fifo.stat()
  }

  protected override close(): void {
    this.#fifo.leave("readers")
  }
}

export class FifoWriter extends PipeWriter implements FifoEnd {
  readonly #fifo: Fifo
  readonly #before: number
  #met: boolean

  constructor(fifo: Fifo, isNonBlocking: boolean) {
    super(fifo.enter("writers"))
    this.#fifo = fifo
    this.#met = isNonBlocking || fifo.hasReader
    this.#before = fifo.opened.readers
  }

  get hasMet(): boolean {
    return this.#met ||= this.#fifo.opened.readers > this.#before
  }

  whenOpened(wake: () => void): StopWaiting {
    return this.#fifo.opening.add(wake)
  }

  override write(from: Uint8Array): number {
    return this.hasMet ? super.write(from) : -Errno.EAGAIN
  }

  override writable(): boolean {
    return this.hasMet && super.writable()
  }

  override hungUp(): boolean {
    return this.hasMet && super.hungUp()
  }

  override stat(): Stat {
    return this.#fifo.stat()
  }

  protected override close(): void {
    this.#fifo.leave("writers")
  }
}

/** Opened for reading and writing, which does not wait on Linux. */
export class FifoDuplex extends PipeReader {
  readonly #fifo: Fifo

  constructor(fifo: Fifo) {
    super(fifo.enter("readers", "writers"))
    this.#fifo = fifo
  }

  override write(from: Uint8Array): number {
    return this.ring.write(from)
  }

  override writable(): boolean {
    return this.ring.fitsAtomic
  }

  override whenWritable(wake: () => void): StopWaiting {
    return this.ring.writers.add(wake)
  }

  override stat(): Stat {
    return this.#fifo.stat()
  }

  protected override close(): void {
    this.#fifo.leave("readers", "writers")
  }
}
