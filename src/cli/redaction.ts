/**
 * Builds the redactor of journaled output from flags: known token forms, own patterns and values of variables.
 *
 * @module
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { ShellExec } from "../command/ShellExec.ts"
import * as Redactor from "../journal/redaction/Redactor.ts"
import type { RedactionFlag } from "./flags.ts"
import type { CliProcess } from "./CliProcess.ts"
import { UsageError } from "./UsageError.ts"

/** The redaction that the flags request. */
export interface RedactionRequest {
  readonly patterns: ReadonlyArray<RegExp>
  readonly isKnown: boolean
  readonly variables: ReadonlyArray<string>
}

/** The default redaction. */
export const defaultRedaction: RedactionRequest = { patterns: [], isKnown: true, variables: [] }

const parsePattern = (text: string): Result.Result<RegExp, UsageError> => {
  if (text === "") return Result.fail(new UsageError("--redact: is empty"))
  try {
    return Result.succeed(new RegExp(text, "u"))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return Result.fail(new UsageError(`--redact: "${text}" is not a regular expression: ${why}`))
  }
}

/** Parses the flags. */
export const parseRedaction = (
  flags: { readonly get: (name: RedactionFlag) => ReadonlyArray<string> | undefined },
): Result.Result<RedactionRequest, UsageError> =>
  Result.gen(function* () {
    const patterns = yield* Result.all((flags.get("redact") ?? []).map(parsePattern))
    const variables = flags.get("secret-env") ?? []
    const wrong = variables.find((name) => name === "" || /[=\0]/.test(name))
    if (wrong !== undefined) {
      return yield* Result.fail(new UsageError(`--secret-env: "${wrong}" is not a variable name`))
    }
    return { patterns, isKnown: flags.get("no-redact") === undefined, variables }
  })

/** The value of a variable: the command's own, else that of this process. */
const valueOf = (name: string, own: CliProcess, exec: ShellExec | undefined): string | undefined => {
  const given = exec?.environment?.[name]
  return typeof given === "string" ? given : own.variable(name)
}

/** Makes the requested redactor. A variable that is not set, or too short to search for, is an error. */
export const makeRedactor = (
  { isKnown, patterns, variables }: RedactionRequest,
  own: CliProcess,
  exec?: ShellExec,
): Result.Result<Redactor.Redactor, UsageError> =>
  Result.gen(function* () {
    const secrets: Array<Redactor.SecretText> = []
    for (const label of variables) {
      const value = valueOf(label, own, exec)
      if (value === undefined) return yield* Result.fail(new UsageError(`--secret-env: ${label} is not set`))
      if (value.length < Redactor.minSecretLength) {
        const least = `at least ${Redactor.minSecretLength} characters: shorter texts occur everywhere`
        return yield* Result.fail(new UsageError(`--secret-env: the value of ${label} must have ${least}`))
      }
      secrets.push({ value, label })
    }
    return Redactor.combine(
      Redactor.secrets(secrets),
      Redactor.patterns([
        ...(isKnown ? Redactor.commonPatterns : []),
        ...patterns.map((pattern) => ({ pattern, label: "pattern" })),
      ]),
    )
  })

/** Returns the command with the values of these variables marked as secrets. */
export const withSecretVariables = (exec: ShellExec, { variables }: RedactionRequest): ShellExec => {
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
