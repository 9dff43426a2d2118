/**
 * The parameters that the spells on commands share.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { ShellExecOptions } from "../../command/ShellExec.ts"

/** The longest time for which a command may run, in seconds. */
export const maxTimeoutSeconds = 3_600

/** A number of seconds, at most an hour. */
export const seconds = (description: string): Schema.optionalKey<typeof Schema.Finite> =>
  Schema.optionalKey(
    Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(maxTimeoutSeconds)).annotate({
      description,
    }),
  )

/** Where and for how long a command runs. */
export const runFields: {
  readonly cwd: Schema.optionalKey<typeof Schema.String>
  readonly timeoutSeconds: Schema.optionalKey<typeof Schema.Finite>
} = {
  cwd: Schema.optionalKey(Schema.String.annotate({ description: "Directory to run in. Default: the workspace" })),
  timeoutSeconds: seconds("Seconds after which it is ended, with all that it started. Default: 120"),
}

/** The options of a command. */
export const runOptions = (
  { cwd, timeoutSeconds = 120 }: { readonly cwd?: string | undefined; readonly timeoutSeconds?: number | undefined },
): Pick<ShellExecOptions, "cwd" | "timeout"> => ({
  timeout: Duration.seconds(timeoutSeconds),
  ...(cwd === undefined ? undefined : { cwd }),
})
