/** Declares the error of a program that cannot run in a worker. */
export class NotIsolable extends Error {
  override readonly name = "NotIsolable"

  static readonly noWorkers: string = "this runtime has no Worker, or no SharedArrayBuffer to share memory with one"

  constructor(why: string) {
    super(`isolate: "worker": ${why}`)
  }
}
