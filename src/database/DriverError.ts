/** An error that a leaf finds itself, before it becomes the fault of a request. */
import type { DatabaseFaultKind } from "./DatabaseEntry.ts"

/** An error with the kind of the fault that it becomes. */
export class DriverError extends Error {
  readonly _tag = "DriverError"
  readonly faultKind: DatabaseFaultKind
  readonly code: string | undefined
  /** The index of the statement that failed, where there are several. */
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

  /** The same error, of a statement with an index. */
  of(statement: number): DriverError {
    return new DriverError(this.faultKind, this.message, { code: this.code, statement })
  }
}
