/** Declares the error of a database driver, before it becomes the fault of a request. */
import type { DatabaseFaultKind } from "./DatabaseEntry.ts"

export class DriverError extends Error {
  readonly _tag = "DriverError"
  readonly faultKind: DatabaseFaultKind
  readonly code: string | undefined
  readonly statement: number | undefined

  constructor(
    faultKind: DatabaseFaultKind,
    message: string,
    { code, statement }: { readonly code?: string | undefined; readonly statement?: number | undefined } = {},
  ) {
    super(message)
    this.faultKind = faultKind
    this.code = code
    this.statement = statement
  }

  of(statement: number): DriverError {
    return new DriverError(this.faultKind, this.message, { code: this.code, statement })
  }
}
