/**
 * Gives the host what processes write, piece by piece.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import { OpenFile, type StopWaiting } from "../OpenFile.ts"
import { FileType, type Stat } from "../Stat.ts"
import { OutputBudget } from "./OutputBudget.ts"
import { pipeCapacity } from "./Pipe.ts"
import { nextInode, plainStat } from "./plainStat.ts"
import { WaitQueue } from "./WaitQueue.ts"

/** Where the bytes go. */
export interface StreamSinkOptions {
  /**
   * Takes a piece, which is its own from then on. The next one comes when the promise is fulfilled; until then at most
   * {@link StreamSinkOptions.capacity} bytes are held, and who writes more waits. Once it failed, writes are `-EPIPE`.
   */
  readonly push: (bytes: Uint8Array<ArrayBuffer>) => void | Promise<void>
  /** Every piece was taken and nobody can write any more, or a `push` failed. Called once. */
  readonly end?: (() => void) | undefined
  /** Default: 65,536, as a pipe. */
  readonly capacity?: number | undefined
  /** Writes beyond it are `-EDQUOT`. Default: no limit. */
  readonly budget?: OutputBudget | undefined
}

/** What is written in one go comes as one piece. */
export class StreamSink extends OpenFile {
  /** As a pipe. */
  readonly type: FileType = FileType.unknown
  readonly #inode = nextInode()
  readonly #writers = new WaitQueue()
  readonly #options: StreamSinkOptions
  readonly #budget: OutputBudget
  #capacity: number
  #bytes = new Uint8Array(0)
  #length = 0
  #state: "open" | "closing" | "ended" = "open"
  #pushing = false

  /** Nothing is pushed before something is written. */
  constructor(options: StreamSinkOptions) {
    super()
    this.#options = options
    this.#budget = options.budget ?? new OutputBudget()
    this.#capacity = options.capacity ?? pipeCapacity
  }

  /** `-EAGAIN` while as much is held as may be; `-EPIPE` once a push failed. */
  override write(from: Uint8Array): number {
    if (from.length === 0) return 0
    if (this.#state !== "open") return -Errno.EPIPE
    const room = Math.min(from.length, this.#capacity - this.#length)
    if (room === 0) return -Errno.EAGAIN
    const count = this.#budget.take(room)
    if (count === 0) return -Errno.EDQUOT
    if (this.#length + count > this.#bytes.length) {
      const larger = new Uint8Array(Math.min(this.#capacity, Math.max(this.#length + count, this.#bytes.length * 2)))
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
    this.#bytes.set(count === from.length ? from : from.subarray(0, count), this.#length)
    this.#length += count
    this.#flush()
    return count
  }

  /** Whether a write would answer at once. */
  override writable(): boolean {
    return this.#length < this.#capacity || this.#state !== "open"
  }

  /** Whether a push failed, or it is closed. */
  override hungUp(): boolean {
    return this.#state !== "open"
  }

  /** Calls back once when it may be writable. */
  override whenWritable(wake: () => void): StopWaiting {
    return this.#writers.add(wake)
  }

  /** Lets it hold more, up to a limit. `false` when it holds that much already. */
  widen(limit: number): boolean {
    if (this.#capacity >= limit) return false
    this.#capacity = Math.min(limit, this.#capacity * 2)
    return true
  }

  #flush(): void {
    if (this.#pushing) return
    this.#pushing = true
    // Not at once: the process may be about to write more.
    queueMicrotask(() => void this.#push())
  }

  async #push(): Promise<void> {
    try {
      while (this.#length > 0) {
        const piece = this.#bytes.length === this.#length ? this.#bytes : this.#bytes.slice(0, this.#length)
        this.#bytes = new Uint8Array(0)
        this.#length = 0
        this.#writers.wakeAll()
        await this.#options.push(piece)
      }
    } catch {
      this.#state = "closing"
      this.#length = 0
      this.#writers.wakeAll()
    }
    this.#pushing = false
    this.#end()
  }

  #end(): void {
    if (this.#state !== "closing" || this.#pushing) return
    this.#state = "ended"
    this.#options.end?.()
  }

  /** Its size is what is held. */
  override stat(): Stat {
    return plainStat(this.type, this.#inode, this.#length)
  }

  /** Nobody has it open any more. */
  protected override close(): void {
    if (this.#state === "open") this.#state = "closing"
    this.#end()
  }
}
