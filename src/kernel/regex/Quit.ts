/**
 * Ends a utility: its exit code, and what it says to people. Without a code it is the utility's code of an error. Only
 * `utility` catches it.
 */
export class Quit extends Error {
  readonly code: number | undefined
  readonly errno: number | undefined

  constructor(code: number | undefined, message?: string, errno?: number) {
    super(message ?? "")
    this.code = code
    this.errno = errno
  }
}
