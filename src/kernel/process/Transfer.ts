/** Retries a read or a write of a process each time the file is ready. */
import { Errno } from "../Errno.ts"
import { FileFlag, type OpenFile, type StopWaiting } from "../OpenFile.ts"
import { PipeReader } from "./Pipe.ts"
import type { Scheduler } from "./Scheduler.ts"
import type { ProcessWaits } from "./ProcessWaits.ts"
import { Wait } from "./Wait.ts"
import type { DirectReader } from "./WaitQueue.ts"

/** A read or write that is retried, without allocating, until it succeeds or fails. The file stays open meanwhile. */
export class Transfer extends Wait<number> implements DirectReader {
  readonly #scheduler: Scheduler
  readonly #file: OpenFile
  readonly bytes: Uint8Array
  readonly #writeFailed: ((errno: number) => void) | undefined
  #stopWaiting: StopWaiting | undefined
  #stopHostWait: StopWaiting | undefined

  /** `writeFailed` is given for writes, and is called with an errno before the process gets it. */
  constructor(
    waits: ProcessWaits,
    scheduler: Scheduler,
    file: OpenFile,
    bytes: Uint8Array,
    writeFailed?: (errno: number) => void,
  ) {
    super(waits)
    this.#scheduler = scheduler
    this.#file = file
    this.bytes = bytes
    this.#writeFailed = writeFailed
    file.retain()
    this.stop = this.#release
  }

  /** Tries in a macrotask: the time slice is used up. */
  yield(): Promise<number> {
    this.#scheduler.later(this.#try)
    return this.promise
  }

  /** Tries when the file is ready. */
  wait(): Promise<number> {
    const file = this.#file
    if (file.servedByHost) this.#stopHostWait ??= this.#scheduler.hostWait()
    this.#stopWaiting = this.#writeFailed !== undefined
      ? file.whenWritable(this.#wake)
      : file instanceof PipeReader
      ? file.whenReadable(this.#wake, this)
      : file.whenReadable(this.#wake)
    return this.promise
  }

  /** Finishes a read whose bytes were delivered directly. */
  complete(count: number): void {
    if (this.#scheduler.due()) this.#scheduler.later(() => this.finish(count))
    else this.finish(count)
  }

  readonly #release = (): void => {
    this.#stopWaiting?.()
    this.#stopHostWait?.()
    this.#file.release()
  }

  // Runs in a microtask of its own, not in the callback, because the writer of one line may be writing the next.
  readonly #wake = (): void => this.#scheduler.soon(this.#try)

  readonly #try = (): void => {
    if (this.done) return
    const file = this.#file
    const count = this.#writeFailed === undefined ? file.read(this.bytes) : file.write(this.bytes)
    if (count === -Errno.EAGAIN && (file.flags & FileFlag.nonblock) === 0) return void this.wait()
    if (count < 0) this.#writeFailed?.(count)
    this.finish(count)
  }
}
