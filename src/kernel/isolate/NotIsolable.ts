/**
 * Declares the error of a program that cannot run in a worker.
 *
 * @module
 */

/** Why a program cannot be run with `isolate: "worker"`. It ends with this as its fault. */
export class NotIsolable extends Error {
  override readonly name = "NotIsolable"

  /** Where there are no workers at all. */
  static readonly noWorkers: string = "this runtime has no Worker, or no SharedArrayBuffer to share memory with one"

  constructor(why: string) {
    super(`isolate: "worker": ${why}`)
  }
}
