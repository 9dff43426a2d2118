/** Declares `SandboxError`, the error of a failed sandbox operation, with its tagged reason and the captured output. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { SandboxReason } from "./SandboxReason.ts"

const Base: Schema.Class<
  SandboxError,
  Schema.TaggedStruct<
    "SandboxError",
    {
      readonly reason: typeof SandboxReason
      readonly message: Schema.String
      readonly stdout: Schema.String
      readonly stderr: Schema.String
    }
  >,
  Cause.YieldableError
> = Schema.TaggedError<SandboxError>()("SandboxError", {
  reason: SandboxReason,
  message: Schema.String,
  stdout: Schema.String,
  stderr: Schema.String,
})

/**
 * A failed operation of a sandbox. An exit code is never an error, and neither is a syntax error of a script: the shell
 * reports it on stderr and exits with 2.
 *
 * `reason` is tagged, for `Effect.catchReason`; `message` reads `sandbox: what happened (CODE)`; `stdout` and `stderr`
 * hold the output that `run` had captured, and are empty for other operations.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.make()
 *   return yield* sandbox.run("echo so far; sleep 60", { timeout: "100 millis" })
 * })
 * const error = await Effect.runPromise(Effect.flip(Effect.scoped(program)))
 * console.log(error._tag === "SandboxError" && error.reason._tag === "Timeout" && error.stdout) // so far
 * ```
 */
export class SandboxError extends Base {
  /** Makes an error of a reason, a message and a code. */
  static because(
    reason: SandboxReason,
    message: string,
    code: string,
    written: { readonly stdout: string; readonly stderr: string } = { stdout: "", stderr: "" },
  ): SandboxError {
    const { stderr, stdout } = written
    return new SandboxError({ reason, message: `sandbox: ${message} (${code})`, stdout, stderr })
  }
}
