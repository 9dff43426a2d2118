/** Builds the outcome of a run from the last event of its commands and the output that was captured here. */
import type { ShellOutput } from "../command/ShellEvent.ts"
import { ShellFault, withFaultFields } from "../command/plain/ShellFault.ts"
import { withoutPrefix } from "../shell/plain/exitCheck.ts"
import type { KeptOutput } from "../shell/HeadTailBuffer.ts"
import type { RunResult } from "./RunResult.ts"
import type { StdoutReceiver } from "./StdoutReceiver.ts"

/** The outcome of a run: a result, whatever its exit code, or an error. */
export type RunOutcome = { readonly result: RunResult } | { readonly error: unknown }

export interface CapturedOutput {
  readonly stdout: StdoutReceiver | undefined
  readonly stderr: () => KeptOutput
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

/** Adds the method that returns a result as text. A class, so that the method is not an own property of results. */
class Result {
  toString(this: RunResult): string {
    return withoutLineEnd(this.stdout)
  }
}

const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, "")

/** Converts the last event of a run. */
export const runResult = ({ _tag, ...output }: ShellOutput): RunResult =>
  Object.assign(new Result(), output, { ok: output.exitCode === 0 })

export const isRunResult = (u: unknown): u is RunResult => u instanceof Result

export const capturedResult = (output: ShellOutput, captured: CapturedOutput): RunResult =>
  runResult(withCaptured(output, captured))

/** The error of a run: a fault without the prefix of the library, and with the captured output. */
export const runError = (error: unknown, captured?: CapturedOutput): unknown =>
  error instanceof ShellFault
    ? withFaultFields(error, {
      ...(captured === undefined ? undefined : withCaptured({ ...error }, captured)),
      message: withoutPrefix(error.message),
    })
    : error
