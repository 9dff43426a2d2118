/** Declares the error of a program that cannot run in a worker. */
/** The fault of a program that cannot run with `isolate: "worker"`. */
export class NotIsolable extends Error {
  override readonly name = "NotIsolable"

  /** The message on a runtime without workers. */
  static readonly noWorkers: string = "this runtime has no Worker, or no SharedArrayBuffer to share memory with one"

  constructor(why: string) {
    super(`isolate: "worker": ${why}`)
  }
}
