/** Formats the state of a recorded command as a word and as a sentence, and maps it to an exit status. */
import type { CommandState } from "../../history/CommandRecord.ts"
import type { FaultReason } from "../../command/FaultReason.ts"
import { exitStatusOfFault, ownFailureStatus } from "../exitStatus.ts"

const reasons: Readonly<Record<FaultReason["_tag"], string>> = {
  NotFound: "not found",
  PermissionDenied: "denied",
  NotAllowed: "not allowed",
  InvalidRequest: "invalid",
  Timeout: "timeout",
  Cancelled: "cancelled",
  Throttled: "throttled",
  ResourceExhausted: "exhausted",
  HostLost: "host lost",
  JournalFailed: "no journal",
  Unknown: "fault",
}

/** Formats a state: `0`, `3`, `SIGTERM`, `timeout`, `running`. */
export const stateText = (state: CommandState): string => {
  switch (state._tag) {
    case "Exited":
      return state.signal ?? `${state.exitCode}`
    case "Faulted":
      return reasons[state.reason._tag]
    case "Unreadable":
      return "?"
    default:
      return state._tag.toLowerCase()
  }
}

export const stateSentence = (state: CommandState): string => {
  switch (state._tag) {
    case "Exited":
      return state.signal === undefined ? `exit ${state.exitCode}` : `${state.signal} (exit ${state.exitCode})`
    case "Faulted":
      return state.message.replace(/^exec: /, "")
    case "Unreadable":
      return `cannot be read: ${state.what}`
    case "Waiting":
      return "waiting: no daemon has taken it"
    case "Lost":
      return "lost: the process that ran it is gone"
    case "Running":
      return "running"
  }
}

/** The exit status with which a program repeats the end of the command. */
export const exitStatusOfState = (state: CommandState): number =>
  state._tag === "Exited"
    ? state.exitCode
    : state._tag === "Faulted"
    ? exitStatusOfFault(state.reason)
    : ownFailureStatus
