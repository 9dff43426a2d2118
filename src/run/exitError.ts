/** Builds the errors of commands without their secrets. */
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault, withFaultFields } from "../command/plain/ShellFault.ts"
import { refusedExit } from "../shell/plain/exitCheck.ts"
import type { ShellExitError } from "../shell/plain/ShellExitError.ts"
import type { RunResult } from "./RunResult.ts"
import { secretsOf } from "./secretsOf.ts"

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
  const redact = await redactText(execs)
  const redacted = { ...output, stdout: redact(output.stdout), stderr: redact(output.stderr) }
  return refusedExit(line, { _tag: "ShellOutput", ...redacted })
}
