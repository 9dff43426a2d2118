/** Declares the error of a program that deviates from a mock's script. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

const Base: Schema.Class<
  MockScriptError,
  Schema.TaggedStruct<"MockScriptError", { readonly message: typeof Schema.String }>,
  Cause.YieldableError
> = Schema.TaggedError<MockScriptError>()("MockScriptError", { message: Schema.String })

/**
 * A program did not follow the script of its mock: `verify` of every mock fails with it. The message has every difference.
 *
 * @example
 * ```ts
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const shell = MockShell.layer([MockShell.once("deploy", MockRun.exit(0))])
 * const error = await Effect.runPromise(MockShell.verify.pipe(Effect.flip, Effect.provide(shell)))
 * console.log(error._tag === "MockScriptError" && error.message.includes("deploy")) // true
 * ```
 */
export class MockScriptError extends Base {}
