/**
 * Ends a utility: its exit code, and what it says to people. Without a code it is the utility's code of an error. Only
 * `utility` catches it.
 */
export class UtilityExit extends Error {
  readonly exitCode: number | undefined
  readonly errno: number | undefined

  constructor(code: number | undefined, message?: string, errno?: number) {
    super(message ?? "")
    this.exitCode = code
    this.errno = errno
  }
}
