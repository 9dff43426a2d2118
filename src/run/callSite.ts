/**
 * Replaces the stack of an error with the frames of the call that made the command.
 *
 * @module
 */

/** The frames below a call. Cheap: engines write them out when they are asked for. */
export interface CallSite {
  readonly stack?: string | undefined
}

/** Remembers where `callee` was called. */
export const callSite = (callee: (...args: never) => unknown): CallSite => {
  const site: { stack?: string } = {}
  // V8 and JavaScriptCore have it.
  Error.captureStackTrace?.(site, callee)
  return site
}

/** The same error, with the frames of the call as its stack. */
export const withCallSite = (error: unknown, { stack }: CallSite): unknown => {
  if (!(error instanceof Error) || stack === undefined) return error
  const frames = stack.slice(stack.indexOf("\n    at ") + 1)
  error.stack = `${error.name}: ${error.message}\n${frames}`
  return error
}
