/**
 * Sends the warnings of commands to stderr: stdout is the program's own.
 *
 * @module
 */
import * as Context from "effect/Context"
import { LogToStderr } from "effect/References"

/** The context that commands run in. */
export const logContext: Context.Context<never> = /* @__PURE__ */ Context.make(LogToStderr, true)
