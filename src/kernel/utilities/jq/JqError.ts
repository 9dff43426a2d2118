/** Errors that jq programs catch. */
import type { Value } from "./values.ts"

/** An error of a program, which `catch` gets. */
export class JqError extends Error {
  readonly value: Value

  constructor(value: Value) {
    super(typeof value === "string" ? value : "")
    this.value = value
  }
}

export const fail = (message: string): never => {
  throw new JqError(message)
}
