/** Computes the exit status of `sluice` after a fault of the command, or after a failed write to stdout or stderr. */
import * as Effect from "effect/Effect"
import type { FaultReason } from "../command/FaultReason.ts"
import { exitCodeOfSignal } from "../command/signals.ts"
import { type BrokenOutputError, isReaderGone, type OutputWriter } from "./ProcessOutput.ts"
import { tryMessage } from "./writeMessage.ts"

/**
 * The exit status of a failure of `sluice` itself: a fault without a status of its own, an invalid command line, or an
 * output that cannot be written. The same status as in timeout(1), env(1) and nohup(1).
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
 * Exit status of a fault. 124, 126 and 127 are those of timeout(1) and shells; 75 is EX_TEMPFAIL of sysexits(3). A
 * command cancelled by a signal gets the status of that signal: 128 + n.
 */
export const exitStatusOfFault = (reason: FaultReason, cancelledBy?: string): number =>
  reason._tag === "Cancelled" && cancelledBy !== undefined ? exitCodeOfSignal(cancelledBy) : statuses[reason._tag]

/** The exit status after a broken output: SIGPIPE's if its reader is gone, as with other programs. */
export const exitStatusOfBrokenOutput = (broken: BrokenOutputError): number =>
  isReaderGone(broken) ? exitCodeOfSignal("SIGPIPE") : ownFailureStatus

/** Returns the exit status of a broken output, and reports it unless stderr is broken or the reader is gone. */
export const handleBrokenOutput = (broken: BrokenOutputError, output: OutputWriter): Effect.Effect<number> =>
  Effect.as(
    broken.fd === 2 || isReaderGone(broken)
      ? Effect.void
      : tryMessage(output, `cannot write to stdout (${broken.code})`),
    exitStatusOfBrokenOutput(broken),
  )
