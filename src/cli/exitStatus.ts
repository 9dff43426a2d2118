/**
 * Maps faults and broken output to the exit status of `sluice run`.
 *
 * @module
 */
import type { FaultReason } from "../command/FaultReason.ts"
import { exitCodeOfSignal } from "../command/signals.ts"
import { type BrokenOutputError, isReaderGone } from "./ProcessOutput.ts"

/**
 * What is wrong is ours, not the command's: a fault that has no status of its own, a command line that cannot be
 * meant, an output that cannot be written. As timeout(1), env(1) and nohup(1) have it.
 */
export const ownFailureStatus = 125

const statuses: Readonly<Record<FaultReason["_tag"], number>> = {
  Timeout: 124,
  PermissionDenied: 126,
  NotAllowed: 126,
  NotFound: 127,
  Throttled: 75,
  Cancelled: 130,
  InvalidRequest: ownFailureStatus,
  ResourceExhausted: ownFailureStatus,
  HostLost: ownFailureStatus,
  JournalFailed: ownFailureStatus,
  Unknown: ownFailureStatus,
}

/**
 * The status of a fault. 124, 126 and 127 are what timeout(1) and shells give; 75 is EX_TEMPFAIL of sysexits(3). A
 * command that a signal cancelled has the status of that signal: 128 + n.
 */
export const exitStatusOfFault = (reason: FaultReason, cancelledBy?: string): number =>
  reason._tag === "Cancelled" && cancelledBy !== undefined ? exitCodeOfSignal(cancelledBy) : statuses[reason._tag]

/** The status when our own output broke: that of SIGPIPE when nobody reads it any more, as with any other writer. */
export const exitStatusOfBrokenOutput = (broken: BrokenOutputError): number =>
  isReaderGone(broken) ? exitCodeOfSignal("SIGPIPE") : ownFailureStatus
