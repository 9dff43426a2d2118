/** Declares the exception that ends a utility with an exit code and a message; `defineUtility` catches it. */

/** Ends a utility. Without an exit code it ends with the utility's exit code of an error. */
export class UtilityExit extends Error {
  readonly exitCode: number | undefined
  readonly errno: number | undefined

  constructor(exitCode: number | undefined, message = "", errno?: number) {
    super(message)
    this.exitCode = exitCode
    this.errno = errno
  }
}
