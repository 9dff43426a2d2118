/** Accepts exit codes, and builds the errors of commands without their secrets. */
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault, withFaultFields } from "../command/plain/ShellFault.ts"
import { ShellExitError } from "../shell/plain/ShellExitError.ts"
import type { RunOptions } from "./RunOptions.ts"
import type { RunResult } from "./RunResult.ts"
import { withoutPrefix } from "./runOutcome.ts"
import { secretsOf } from "./secretsOf.ts"

/** Maximum length of the command line in a message. */
const shownLength = 500

/** Whether the exit code is accepted. A signal is accepted only if its code (128 + n) is listed, or all codes are. */
export const isAccepted = (result: RunResult, check: RunOptions["check"]): boolean =>
  check === false || (Array.isArray(check) ? check.includes(result.exitCode) : result.exitCode === 0)

/** Makes a function that removes the secrets of commands from a text. Loads the redactor when there are secrets. */
export const redactText = async (execs: ReadonlyArray<ShellExec>): Promise<(text: string) => string> => {
  const secrets = secretsOf(execs)
  if (secrets.length === 0) return (text) => text
  return (await import("../journal/redaction/Redactor.ts")).secrets(secrets).text
}

/**
 * Completes a fault: adds advice, and removes the secrets of its commands, because runtimes print the fields of
 * uncaught errors.
 */
export const completeFault = async (execs: ReadonlyArray<ShellExec>, error: unknown): Promise<unknown> => {
  if (!(error instanceof ShellFault)) return error
  const { commandId, message, reason, stderr, stdout } = error
  if (reason._tag === "NotFound" && reason.what === "command") {
    const { commandAdvice } = await import("./onDemand.ts")
    const exec = execs.find((each) => each.commandId === commandId)
    const advice = exec === undefined ? undefined : commandAdvice(exec)
    return advice === undefined ? error : withFaultFields(error, { message: `${message}; ${advice}` })
  }
  if (stdout === "" && stderr === "") return error
  const redact = await redactText(execs)
  return withFaultFields(error, { stdout: redact(stdout), stderr: redact(stderr) })
}

/** Makes the error of a failed command, without its secrets: runtimes print the fields of uncaught errors. */
export const exitError = async (
  execs: ReadonlyArray<ShellExec>,
  line: string,
  { ok: _ok, ...output }: RunResult,
): Promise<ShellExitError> => {
  const command = line.length > shownLength ? `${line.slice(0, shownLength)}…` : line
  const redact = await redactText(execs)
  const redacted = { ...output, stdout: redact(output.stdout), stderr: redact(output.stderr) }
  const error = ShellExitError.because({ _tag: "ShellOutput", ...redacted }, { command })
  return new ShellExitError({ ...error, message: withoutPrefix(error.message) })
}
