/** Builds the redactor of journaled output from flags, and marks variables of a command as secrets. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { ShellExec } from "../command/ShellExec.ts"
import * as Redactor from "../journal/redaction/Redactor.ts"
import type { RedactionFlags } from "./runFlags.ts"
import type { CliProcess } from "./CliProcess.ts"
import { UsageError } from "./UsageError.ts"

export const defaultRedaction: RedactionFlags = { "redact": [], "no-redact": false, "secret-env": [] }

/** The value of a variable: that of the command, else that of this process. */
const valueOf = (name: string, cli: CliProcess, exec: ShellExec | undefined): string | undefined => {
  const given = exec?.environment?.[name]
  return typeof given === "string" ? given : cli.variable(name)
}

/** Makes the requested redactor. A variable that is not set, or too short to search for, is an error. */
export const makeRedactor = (
  { "no-redact": skipsKnownFormats, redact: patterns, "secret-env": variables }: RedactionFlags,
  cli: CliProcess,
  exec?: ShellExec,
): Result.Result<Redactor.Redactor, UsageError> =>
  Result.gen(function* () {
    const secrets: Array<Redactor.SecretText> = []
    for (const label of variables) {
      const value = valueOf(label, cli, exec)
      if (value === undefined) return yield* Result.fail(new UsageError(`--secret-env: ${label} is not set`))
      if (value.length < Redactor.minSecretLength) {
        const requirement = `at least ${Redactor.minSecretLength} characters: shorter texts occur everywhere`
        return yield* Result.fail(new UsageError(`--secret-env: the value of ${label} must have ${requirement}`))
      }
      secrets.push({ value, label })
    }
    return Redactor.combine(
      Redactor.secrets(secrets),
      Redactor.patterns([
        ...(skipsKnownFormats ? [] : Redactor.commonPatterns),
        ...patterns.map((pattern) => ({ pattern, label: "pattern" })),
      ]),
    )
  })

/** Returns the command with the values of these variables marked as secrets. */
export const withSecretVariables = (exec: ShellExec, { "secret-env": variables }: RedactionFlags): ShellExec => {
  const { environment } = exec
  if (environment === undefined || variables.length === 0) return exec
  const entries = Object.entries(environment).map(([name, value]) =>
    [
      name,
      typeof value === "string" && variables.includes(name) ? Redacted.make(value, { label: name }) : value,
    ] as const
  )
  return new ShellExec({ ...exec, environment: Object.fromEntries(entries) })
}
