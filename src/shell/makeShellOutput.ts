/** Makes the last event of a run from its exit status, its captured output and its times. */
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
