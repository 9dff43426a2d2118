/**
 * Implements an open file that pulls pieces from the host when a process reads.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import { OpenFile, type StopWaiting } from "../OpenFile.ts"
import { FileType, type Stat } from "../Stat.ts"
import { nextInode, plainStat } from "./plainStat.ts"
import { WaitQueue } from "./WaitQueue.ts"

/** Where the bytes come from. */
export interface StreamSourceOptions {
  /** The next piece, `undefined` at the end. It is asked for only when a process wants to read and there is nothing. */
  readonly pull: () => Promise<Uint8Array | undefined>
  /** Nobody reads any more, or the end was reached. Called once. */
  readonly cancel?: (() => void) | undefined
}

/** Reads pull, one piece at a time. A `pull` that fails is `-EIO` for the one who reads. */
export class StreamSource extends OpenFile {
  /** As a pipe. */
  readonly type: FileType = FileType.unknown
  readonly #inode = nextInode()
  readonly #readers = new WaitQueue()
  readonly #options: StreamSourceOptions
  #pieces: Array<Uint8Array> = []
  #at = 0
  #state: "idle" | "pulling" | "ended" | "failed" = "idle"
  #cancelled = false

  /** Nothing is pulled before somebody wants to read. */
  constructor(options: StreamSourceOptions) {
    super()
    this.#options = options
  }

  /** Gives bytes, as {@link OpenFile.read} says. */
  override read(into: Uint8Array): number {
    const piece = this.#pieces[0]
    if (piece === undefined) {
      if (into.length === 0 || this.#state === "ended") return 0
      if (this.#state === "failed") {
        this.#state = "ended"
        return -Errno.EIO
      }
      return -Errno.EAGAIN
    }
    const count = Math.min(into.length, piece.length - this.#at)
    into.set(piece.subarray(this.#at, this.#at + count))
    this.#at += count
    if (this.#at === piece.length) {
      this.#pieces.shift()
      this.#at = 0
    }
    return count
  }

  /** Whether a read would answer at once. */
  override readable(): boolean {
    return this.#pieces.length > 0 || this.#state === "ended" || this.#state === "failed"
  }

  /** Bytes that can be read at once. */
  override available(): number {
    return this.#pieces.reduce((sum, piece) => sum + piece.length, -this.#at)
  }

  /** Whether the end was reached. */
  override hungUp(): boolean {
    return this.#state === "ended"
  }

  /** Calls back once when it may be readable. */
  override whenReadable(wake: () => void): StopWaiting {
    const stop = this.#readers.add(wake)
    if (this.#state === "idle") void this.#pull()
    return stop
  }

  /** Pulls until the end, or until there are more bytes than the limit; answers with whether the end was reached. */
  async complete(limit: number): Promise<boolean> {
    while (this.#state === "idle" && this.available() <= limit) await this.#pull()
    return this.#state !== "idle"
  }

  async #pull(): Promise<void> {
    this.#state = "pulling"
    try {
      const piece = await this.#options.pull()
      if (this.#cancelled) return
      if (piece === undefined) this.#end("ended")
      else {
        this.#state = "idle"
        if (piece.length > 0) this.#pieces.push(piece)
      }
    } catch {
      this.#end("failed")
    }
    this.#readers.wakeAll()
  }

  #end(state: "ended" | "failed"): void {
    this.#state = state
    if (this.#cancelled) return
    this.#cancelled = true
    this.#options.cancel?.()
  }

  /** Its size is what was pulled and not read. */
  override stat(): Stat {
    return plainStat(this.type, this.#inode, this.available())
  }

  /** Nobody has it open any more. */
  protected override close(): void {
    this.#pieces = []
    this.#end("ended")
  }
}
