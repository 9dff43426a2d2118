/** Ends the processes that a command's lost host has left on this machine. */
import * as Effect from "effect/Effect"
import type { LeaseTaken } from "../branch/BranchEntry.ts"
import type { RecoveryReport } from "../branch/EndCause.ts"
import type { ShellService } from "../shell/ShellService.ts"
import type { ComputeRequest } from "./ComputeRequest.ts"

/** Returns the report of the fault `HostLost`. If the shell fails, the fault is logged and the report is empty. */
export const recoverOrphans = (
  shell: ShellService | undefined,
  { commandId, grace }: ComputeRequest,
  { host: { pid } }: LeaseTaken,
): Effect.Effect<RecoveryReport> =>
  shell?.endOrphans === undefined
    ? Effect.succeed({})
    : shell.endOrphans(commandId, { grace, hostPid: pid > 0 ? pid : undefined }).pipe(
      Effect.catch((fault) => Effect.as(Effect.logWarning(fault.message), { ended: undefined })),
    )
