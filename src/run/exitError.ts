/**
 * Which ends of a command are failures, and their error.
 *
 * @module
 */
import * as Redactor from "../journal/Redactor.ts"
import { isSecret } from "../command/Secret.ts"
import type { ShellExec } from "../command/ShellExec.ts"
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

/** The error of a command that failed. What it was given as a secret, and wrote to stderr, is not in the message. */
export const exitError = (
  execs: ReadonlyArray<ShellExec>,
  line: string,
  { ok: _ok, ...output }: RunResult,
): ShellExitError => {
  const command = line.length > shownLength ? `${line.slice(0, shownLength)}…` : line
  const secrets = secretsOf(execs)
  const stderr = secrets.length === 0 ? output.stderr : Redactor.secrets(secrets).text(output.stderr)
  return ShellExitError.because({ _tag: "ShellOutput", ...output }, { command, stderr })
}
