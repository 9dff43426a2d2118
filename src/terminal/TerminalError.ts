/** Declares `TerminalError`, the error of an operation on a terminal session, with its tagged reason. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { TerminalErrorReason } from "./TerminalErrorReason.ts"

const Base: Schema.Class<
  TerminalError,
  Schema.TaggedStruct<"TerminalError", {
    readonly reason: typeof TerminalErrorReason
    readonly message: typeof Schema.String
  }>,
  Cause.YieldableError
> = Schema.TaggedError<TerminalError>()("TerminalError", { reason: TerminalErrorReason, message: Schema.String })

/**
 * A failed operation on a session. Faults of the command itself are a `ShellFault`.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { Terminals } from "@sluice/shell/terminal"
 * import { Effect, Layer } from "effect"
 *
 * const layer = Terminals.layer.pipe(Layer.provide(LocalShell.layer))
 * const error = await Effect.runPromise(Terminals.get("no-such-session").pipe(Effect.flip, Effect.provide(layer)))
 * console.log(error._tag === "TerminalError" && error.reason._tag) // NotFound
 * ```
 */
export class TerminalError extends Base {}

export const terminalError = (reason: TerminalErrorReason, what: string): TerminalError =>
  new TerminalError({ reason, message: `terminal: ${what}` })
