/** Ends a utility: its exit code, and what it says to people. Only `utility` catches it. */
export class Quit extends Error {
  readonly code: number
  readonly errno: number | undefined

  constructor(code: number, message?: string, errno?: number) {
    super(message ?? "")
    this.code = code
    this.errno = errno
  }
}
