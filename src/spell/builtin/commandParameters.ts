/** The parameters that spells share. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { defined } from "../../base/defined.ts"
import type { ShellExec, ShellExecOptions } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { CurrentWindow } from "../../window/CurrentWindow.ts"
import { policyForms } from "../../window/forms.ts"
import { parsePolicy } from "../../window/parsePolicy.ts"
import type { Policy } from "../../window/Policy.ts"

/** The longest time for which a command may run, in seconds. */
export const maxTimeoutSeconds = 3_600

/** Parameters of one type, each with its description for a model. */
export const text = (description: string): typeof Schema.String => Schema.String.annotate({ description })
export const optionalText = (description: string): Schema.optionalKey<typeof Schema.String> =>
  Schema.optionalKey(text(description))
export const flag = (description: string): Schema.optionalKey<typeof Schema.Boolean> =>
  Schema.optionalKey(Schema.Boolean.annotate({ description }))
export const optionalTexts = (description: string): Schema.optionalKey<Schema.$Array<typeof Schema.String>> =>
  Schema.optionalKey(Schema.Array(Schema.String).annotate({ description }))

export const seconds = (description: string): Schema.optionalKey<typeof Schema.Finite> =>
  Schema.optionalKey(
    Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(maxTimeoutSeconds)).annotate({
      description,
    }),
  )

export const runFields: {
  readonly cwd: Schema.optionalKey<typeof Schema.String>
  readonly timeoutSeconds: Schema.optionalKey<typeof Schema.Finite>
} = {
  cwd: optionalText("Directory to run in. Default: the workspace"),
  timeoutSeconds: seconds("Seconds after which it is ended, with all that it started. Default: 120"),
}

export const windowField: { readonly window: Schema.optionalKey<typeof Schema.String> } = {
  window: optionalText(
    `How the output that is reported while it runs is grouped: ${policyForms}, or several joined by a comma. ` +
      "The answer stays the same. Default: the server's setting",
  ),
}

/** The window policy of a call; `undefined` if it names none. */
export const parseWindow = (
  { command, commandId }: Pick<ShellExec, "command" | "commandId">,
  window: string | undefined,
): Result.Result<Policy | undefined, ShellFault> =>
  window === undefined ? Result.succeed(undefined) : Result.mapError(parsePolicy(window), (what) => {
    const message = `exec: ${command} was not started: ${what} (EINVAL)`
    return ShellFault.because(commandId, { _tag: "InvalidRequest", field: "window" }, message)
  })

/** Runs a command to its end, and reports its output in windows of a policy meanwhile. */
export const runInWindows = <A, E, R>(
  run: Effect.Effect<A, E, R>,
  command: Pick<ShellExec, "command" | "commandId">,
  window: string | undefined,
): Effect.Effect<A, E | ShellFault, R> =>
  Effect.flatMap(
    Effect.fromResult(parseWindow(command, window)),
    (policy) => policy === undefined ? run : Effect.provideService(run, CurrentWindow, policy),
  )

export const runOptions = (
  { cwd, timeoutSeconds = 120 }: { readonly cwd?: string | undefined; readonly timeoutSeconds?: number | undefined },
): Pick<ShellExecOptions, "cwd" | "timeout"> => ({
  timeout: Duration.seconds(timeoutSeconds),
  ...defined({ cwd }),
})
