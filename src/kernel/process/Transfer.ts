/**
 * Retries a read or a write of a process until the file is ready.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import { FileFlag, type OpenFile, type StopWaiting } from "../OpenFile.ts"
import { PipeReader } from "./Pipe.ts"
import type { Scheduler } from "./Scheduler.ts"
import { type AbortableWait, Wait } from "./Wait.ts"
import type { DirectReader } from "./WaitQueue.ts"

/**
 * Tries, waits until it may go, tries again. Nothing is allocated for a further round. The file stays open meanwhile,
 * even if the process closes its descriptor.
 */
export class Transfer extends Wait<number> implements DirectReader {
  readonly #scheduler: Scheduler
  readonly #file: OpenFile
  readonly bytes: Uint8Array
  readonly #refused: ((errno: number) => void) | undefined
  #stopWaiting: StopWaiting | undefined

  /** A write has `refused`, which learns of errors before the process does. */
  constructor(
    among: Set<AbortableWait>,
    scheduler: Scheduler,
    file: OpenFile,
    bytes: Uint8Array,
    refused?: (errno: number) => void,
  ) {
    super(among)
    this.#scheduler = scheduler
    this.#file = file
    this.bytes = bytes
    this.#refused = refused
    file.retain()
    this.stop = this.#leave
  }

  /** The slice is used up: tries in a macrotask. */
  yield(): Promise<number> {
    this.#scheduler.later(this.#try)
    return this.promise
  }

  /** The file was not ready: tries when it is. */
  wait(): Promise<number> {
    const file = this.#file
    this.#stopWaiting = this.#refused !== undefined
      ? file.whenWritable(this.#wake)
      : file instanceof PipeReader
      ? file.whenReadable(this.#wake, this)
      : file.whenReadable(this.#wake)
    return this.promise
  }

  /** What was to be read lies there. */
  complete(count: number): void {
    if (this.#scheduler.due()) this.#scheduler.later(() => this.finish(count))
    else this.finish(count)
  }

  readonly #leave = (): void => {
    this.#stopWaiting?.()
    this.#file.release()
  }

  // In a microtask of its own, not in the wake: whoever wrote one line may be writing the next.
  readonly #wake = (): void => this.#scheduler.soon(this.#try)

  readonly #try = (): void => {
    if (this.done) return
    const file = this.#file
    const count = this.#refused === undefined ? file.read(this.bytes) : file.write(this.bytes)
    if (count === -Errno.EAGAIN && (file.flags & FileFlag.nonblock) === 0) return void this.wait()
    if (count < 0) this.#refused?.(count)
    this.finish(count)
  }
}
