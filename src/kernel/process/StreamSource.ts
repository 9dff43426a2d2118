/** Implements an open file that pulls its bytes from the host when a process waits for them. */
import { Errno } from "../Errno.ts"
import { OpenFile, type StopWaiting } from "../OpenFile.ts"
import { FileType } from "../Stat.ts"
import { WaitQueue } from "./WaitQueue.ts"

/** The source of a {@link StreamSource}. */
export interface StreamSourceOptions {
  /** Returns the next piece, `undefined` at the end. Called only when a process reads and no bytes are buffered. */
  readonly pull: () => Promise<Uint8Array | undefined>
  /** Called once, when the last reader is gone or the end was reached. */
  readonly cancel?: (() => void) | undefined
}

/** An open file that pulls one piece at a time. If `pull` fails, the read fails with `-EIO`. */
export class StreamSource extends OpenFile {
  /** As a pipe. */
  readonly type: FileType = FileType.unknown
  readonly #readers = new WaitQueue()
  readonly #options: StreamSourceOptions
  #pieces: Array<Uint8Array> = []
  #at = 0
  #state: "idle" | "pulling" | "ended" | "failed" = "idle"
  #cancelled = false

  /** Pulls nothing before the first read. */
  constructor(options: StreamSourceOptions) {
    super()
    this.servedByHost = true
    this.#options = options
  }

  /** See {@link OpenFile.read}. */
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

  /** Whether a read would return at once. */
  override readable(): boolean {
    return this.#pieces.length > 0 || this.#state === "ended" || this.#state === "failed"
  }

  /** Buffered bytes. */
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

  /** Pulls until the end or until more bytes than `limit` are buffered; returns whether the end was reached. */
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

  /** Called when the last descriptor has closed. */
  protected override close(): void {
    this.#pieces = []
    this.#end("ended")
  }
}
