/**
 * Makes the last event of a run from its exit, and the fault reason of a timeout.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import type { FaultReason } from "../command/FaultReason.ts"
import type { ShellOutput } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { PartialOutput } from "../command/ShellFault.ts"
import type { ExitStatus } from "./SpawnedProcess.ts"

/** The output of a run that came to its end. */
export const makeShellOutput = (
  exec: ShellExec,
  exit: ExitStatus,
  captured: PartialOutput,
  how: Pick<ShellOutput, "executable" | "duration" | "completed" | "drain">,
): ShellOutput => ({
  _tag: "ShellOutput",
  commandId: exec.commandId,
  exitCode: exit.exitCode,
  ...(exit.signal === undefined ? undefined : { signal: exit.signal }),
  ...captured,
  ...how,
})

/** The reason and the message of a run whose time ran out. */
export const describeTimeout = (
  exec: ShellExec,
  kind: "total" | "idle",
  afterMillis: number,
): readonly [reason: FaultReason, message: string] => {
  const time = Duration.format(Duration.millis(afterMillis))
  const issue = kind === "total" ? `did not end within ${time}` : `wrote nothing for ${time}`
  return [{ _tag: "Timeout", kind, afterMillis }, `exec: ${exec.command} ${issue} and was ended (TIMEOUT)`]
}
