/**
 * Builds the error of a failed command, without the secrets that it was given.
 *
 * @module
 */
import * as Redactor from "../journal/redaction/Redactor.ts"
import { isSecret } from "../command/Secret.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/ShellFault.ts"
import { ShellExitError } from "../shell/failOnExit.ts"
import type { RunOptions } from "./RunOptions.ts"
import type { RunResult } from "./RunResult.ts"

/** Characters of the command that a message shows. */
const shownLength = 500

/** Whether a command may end like this. A signal is a success only where its code (128 + n) is named, or all are. */
export const isAccepted = (result: RunResult, check: RunOptions["check"]): boolean =>
  check === false || (Array.isArray(check) ? check.includes(result.exitCode) : result.exitCode === 0)

/** The secrets that a command was given, as far as they still have a value. */
const secretsOf = (execs: ReadonlyArray<ShellExec>): ReadonlyArray<Redactor.SecretText> =>
  execs.flatMap(({ arguments: words, environment = {}, input }) =>
    [...words, ...Object.values(environment), input].filter(isSecret).map((value) => ({ value }))
  )

/** Takes the secrets that commands were given out of a text. */
const redactText = (execs: ReadonlyArray<ShellExec>): (text: string) => string => {
  const secrets = secretsOf(execs)
  return secrets.length === 0 ? (text) => text : Redactor.secrets(secrets).text
}

/** A fault without the secrets of its commands: runtimes print the fields of an error that is not caught. */
export const redactFault = (execs: ReadonlyArray<ShellExec>, error: unknown): unknown => {
  if (!(error instanceof ShellFault) || (error.stdout === "" && error.stderr === "")) return error
  const redact = redactText(execs)
  return new ShellFault({
    ...error,
    message: error.message,
    stdout: redact(error.stdout),
    stderr: redact(error.stderr),
  })
}

/** The error of a command that failed, without the secrets that it was given: runtimes print the fields of errors. */
export const exitError = (
  execs: ReadonlyArray<ShellExec>,
  line: string,
  { ok: _ok, ...output }: RunResult,
): ShellExitError => {
  const command = line.length > shownLength ? `${line.slice(0, shownLength)}…` : line
  const redact = redactText(execs)
  const redacted = { ...output, stdout: redact(output.stdout), stderr: redact(output.stderr) }
  return ShellExitError.because({ _tag: "ShellOutput", ...redacted }, { command })
}
