/** Replaces the stack of an error with the frames of the call that made the command. */

/** The stack frames of a call. Cheap: engines format them on access. */
export interface CallSite {
  readonly stack?: string | undefined
}

/** Captures the stack frames below the call of `callee`. */
export const callSite = (callee: (...args: never) => unknown): CallSite => {
  const site: { stack?: string } = {}
  // V8 and JavaScriptCore have this function.
  Error.captureStackTrace?.(site, callee)
  return site
}

/** Sets the frames of the call as the stack of an error; the stack of an `await` has only frames of this package. */
export const withCallSite = (error: unknown, { stack }: CallSite): unknown => {
  if (!(error instanceof Error) || stack === undefined) return error
  const frames = stack.slice(stack.indexOf("\n    at ") + 1)
  error.stack = `${error.name}: ${error.message}\n${frames}`
  return error
}
