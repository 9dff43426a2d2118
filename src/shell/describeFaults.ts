/** Describes why a run was ended early: by its caller, a timeout or a failed input. */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type { FaultReason } from "../command/FaultReason.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/plain/ShellFault.ts"
import { NonBytesError } from "./writeInput.ts"

export type FaultDescription = readonly [reason: FaultReason, message: string]

const maxTitle = 60

/** The program; for a script, whose text may be long, its id and the beginning of its first line. */
const titleOf = ({ command, commandId, useShell }: ShellExec): string => {
  if (!useShell) return command
  const [line = ""] = command.trimStart().split("\n")
  const isWhole = line.length <= maxTitle && line === command.trim()
  return `the script ${commandId} (${isWhole ? line : `${line.slice(0, maxTitle).trimEnd()}…`})`
}

/** Describes a command whose caller aborted its signal. */
export const describeCancel = (exec: ShellExec): FaultDescription => [
  { _tag: "Cancelled", by: "signal" },
  `exec: ${titleOf(exec)} was cancelled (CANCELLED)`,
]

/** Makes the fault of a command whose signal was aborted before its process started. */
export const cancelledFault = (exec: ShellExec): ShellFault =>
  ShellFault.because(exec.commandId, ...describeCancel(exec))

export const describeTimeout = (
  exec: ShellExec,
  kind: "total" | "idle",
  afterMillis: number,
): FaultDescription => {
  const time = Duration.format(Duration.millis(afterMillis))
  const issue = kind === "total" ? `did not end within ${time}` : `wrote nothing for ${time}`
  return [{ _tag: "Timeout", kind, afterMillis }, `exec: ${titleOf(exec)} ${issue} and was ended (TIMEOUT)`]
}

/** Describes a command whose input failed; `undefined` for an input that was only interrupted. */
export const describeInputFailure = (exec: ShellExec, cause: Cause.Cause<unknown>): FaultDescription | undefined => {
  if (Cause.hasInterruptsOnly(cause)) return undefined
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error instanceof NonBytesError) {
    return [
      { _tag: "InvalidRequest", field: "stdin", code: "EINVAL" },
      `exec: the stdin of ${titleOf(exec)} must be a stream of Uint8Array, not of ${error.kind}: ` +
      "encode text with Stream.encodeText (EINVAL)",
    ]
  }
  const [problem] = Cause.pretty(cause).split("\n")
  return [{ _tag: "Unknown", code: "ESTDIN" }, `exec: the input of ${titleOf(exec)} failed: ${problem} (ESTDIN)`]
}
