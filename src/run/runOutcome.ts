/**
 * Builds the outcome of a run from the last event of its commands and the output that was captured here.
 *
 * @module
 */
import type { ShellOutput } from "../command/ShellEvent.ts"
import { ShellFault, withFaultFields } from "../command/plain/ShellFault.ts"
import type { Outputs } from "./openOutputs.ts"
import type { RunResult } from "./RunResult.ts"
import type { StdoutReceiver } from "./StdoutReceiver.ts"

/** The outcome of a run: a result, whatever its exit code, or an error. */
export type RunOutcome = { readonly result: RunResult } | { readonly error: unknown }

/** The places that captured the output of a run. */
export interface CapturedOutput {
  readonly stdout: StdoutReceiver | undefined
  readonly stderr: Outputs["stderr"]
}

/** Adds the output that was captured here to the fields of an event. */
const withCaptured = <A extends Pick<ShellOutput, "stdout" | "stderr" | "stdoutBytesOmitted" | "stderrBytesOmitted">>(
  event: A,
  { stderr, stdout }: CapturedOutput,
): A => {
  const stdoutText = stdout?.text()
  const stderrText = stderr()
  return {
    ...event,
    stdout: stdoutText?.text ?? "",
    stdoutBytesOmitted: stdoutText?.bytesOmitted ?? 0,
    stderr: event.stderr + stderrText.text,
    stderrBytesOmitted: event.stderrBytesOmitted + stderrText.bytesOmitted,
  }
}

/** Converts the last event of a run. */
export const runResult = ({ _tag, ...output }: ShellOutput): RunResult => ({ ...output, ok: output.exitCode === 0 })

/** The result of a run, with the captured output. */
export const capturedResult = (output: ShellOutput, captured: CapturedOutput): RunResult =>
  runResult(withCaptured(output, captured))

/** The error of a run; a fault gets the captured output. */
export const capturedError = (error: unknown, captured: CapturedOutput): unknown => {
  if (!(error instanceof ShellFault)) return error
  return withFaultFields(error, withCaptured({ ...error }, captured))
}
