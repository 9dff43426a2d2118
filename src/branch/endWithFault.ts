/** Makes the fault of a request that ended outside of its service. */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { JournalError } from "../journal/JournalError.ts"
import type { EndCause } from "./EndCause.ts"
import type { Message, RequestFailure, ServiceBranch } from "./ServiceBranch.ts"

/** Fault of a request whose service emitted neither an answer nor a fault. */
export const unansweredText = "its service ended without an answer"

/** Fault of a request whose answer the journal did not take. */
export const journalFailedText = ({ message }: JournalError): string =>
  `it was started, and the journal failed: ${message}; check the current state before you repeat it`

const describe = (ending: Exclude<EndCause, { _tag: "Broken" }>): RequestFailure => {
  switch (ending._tag) {
    case "Unfinished":
      return { kind: "Broken", what: unansweredText }
    case "Cancelled":
      return {
        kind: "Cancelled",
        what: ending.by === undefined ? "it was cancelled" : `it was cancelled (${ending.by})`,
      }
    case "HostLost": {
      const { host, pid } = ending.lost.host
      const process = [...(pid > 0 ? [`process ${pid}`] : []), ...(host === "" ? [] : [`on ${host}`])].join(" ")
      return {
        kind: "HostLost",
        what: `the daemon that had it was lost${process === "" ? "" : ` (${process})`}; ` +
          "its outcome is unknown: check the current state before you repeat it",
      }
    }
    case "JournalFailed":
      return { kind: "JournalFailed", what: journalFailedText(ending.error) }
    case "NotTaken": {
      const time = Duration.format(Duration.millis(ending.afterMillis))
      const what = ending.why === "busy"
        ? `nothing was done: every daemon was busy for ${time}`
        : `nothing was done: no daemon took it within ${time}; start one of this version on this journal`
      return { kind: "NotTaken", what }
    }
    case "Throttled":
      return {
        kind: "NotTaken",
        what:
          `nothing was done: the daemon has ${ending.maxOpen} open requests (maxOpen) and every other daemon is full too; ` +
          "try again later, raise this option, or start another daemon on the journal",
      }
  }
}

export const endWithFault = <Request extends Message, Event extends Message, Fault extends Message>({
  makeFault,
}: Pick<ServiceBranch<Request, Event, Fault>, "makeFault">) =>
(request: Request, ending: EndCause<Fault>): Effect.Effect<Fault> =>
  Effect.sync(() => {
    if (ending._tag !== "Broken") return makeFault(request, describe(ending))
    const fault = Cause.findErrorOption(ending.cause)
    return Option.isSome(fault)
      ? fault.value
      : makeFault(request, { kind: "Broken", what: "its service broke", cause: ending.cause })
  })
