/**
 * A read or a write that waits until the file is ready.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import { FileFlag, type OpenFile } from "../OpenFile.ts"
import type { Scheduler } from "./Scheduler.ts"
import { Wait, type Waiting } from "./Wait.ts"

/** Tries, waits until it may go, tries again. Nothing is allocated for a further round. */
export class Transfer extends Wait<number> {
  readonly #scheduler: Scheduler
  readonly #file: OpenFile
  readonly #bytes: Uint8Array
  readonly #refused: ((errno: number) => void) | undefined

  /** A write has `refused`, which learns of errors before the process does. */
  constructor(
    among: Set<Waiting>,
    scheduler: Scheduler,
    file: OpenFile,
    bytes: Uint8Array,
    refused?: (errno: number) => void,
  ) {
    super(among)
    this.#scheduler = scheduler
    this.#file = file
    this.#bytes = bytes
    this.#refused = refused
  }

  /** The slice is used up: tries in a macrotask. */
  yield(): Promise<number> {
    this.#scheduler.later(this.#try)
    return this.promise
  }

  /** The file was not ready: tries when it is. */
  wait(): Promise<number> {
    this.stop = this.#refused === undefined ? this.#file.whenReadable(this.#wake) : this.#file.whenWritable(this.#wake)
    return this.promise
  }

  // In a microtask of its own, not in the wake: whoever wrote one line may be writing the next.
  readonly #wake = (): void => this.#scheduler.soon(this.#try)

  readonly #try = (): void => {
    if (this.done) return
    const file = this.#file
    const count = this.#refused === undefined ? file.read(this.#bytes) : file.write(this.#bytes)
    if (count === -Errno.EAGAIN && (file.flags & FileFlag.nonblock) === 0) return void this.wait()
    if (count < 0) this.#refused?.(count)
    this.finish(count)
  }
}
