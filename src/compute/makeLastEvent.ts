/** Makes the fault that ends a command in a journal when its shell gave no last event. */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { LeaseTaken } from "../branch/BranchEntry.ts"
import type { EndCause, RecoveryReport } from "../branch/EndCause.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { type PartialOutput, ShellFault, withFaultFields } from "../command/ShellFault.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { makeJournalFault } from "./makeJournalFault.ts"
import { measureLostOutput } from "./measureLostOutput.ts"
import type { RecordedFault } from "./RunEnd.ts"

const words: Readonly<Record<string, string>> = {
  consumer: "was ended: its output was closed",
  shutdown: "was cancelled: its daemon was shut down",
  signal: "was cancelled",
}

export const makeCancelledFault = (exec: ShellExec, by: string | undefined, told?: ShellFault): ShellFault => {
  const reason = { _tag: "Cancelled", ...(by === undefined ? undefined : { by }) } as const
  const how = words[by ?? "signal"] ?? `was cancelled by ${by}`
  const fault = ShellFault.because(exec.commandId, reason, `exec: ${exec.command} ${how} (CANCELLED)`, {
    survivors: told?.survivors ?? [],
  })
  return told === undefined ? fault : withFaultFields(told, { reason, message: fault.message })
}

const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "es"}`

const lost = (
  exec: ShellExec,
  { host: { host, pid } }: LeaseTaken,
  { ended }: RecoveryReport,
  attempts: number,
  output: PartialOutput,
): ShellFault => {
  const who = [...(pid > 0 ? [`process ${pid}`] : []), ...(host === "" ? [] : [`on ${host}`])].join(" ")
  const where = who === "" ? "" : ` (${who})`
  const left = ended === undefined
    ? "its remaining processes could not be searched for from here"
    : ended === 0
    ? "none of its processes remained"
    : `${countOf(ended, "process")} of it ${ended === 1 ? "was" : "were"} ended`
  const runs = attempts > 1 ? ` in attempt ${attempts}` : ""
  return ShellFault.because(
    exec.commandId,
    {
      _tag: "HostLost",
      ...(host === "" ? undefined : { host }),
      ...(pid > 0 ? { pid } : undefined),
      ...(ended === undefined ? undefined : { ended }),
    },
    `exec: ${exec.command} was lost${runs} with the process that ran it${where}; ${left} (HOSTLOST)`,
    output,
  )
}

const notTaken = (exec: ShellExec, afterMillis: number, why: "noDaemon" | "busy"): ShellFault => {
  const time = Duration.format(Duration.millis(afterMillis))
  const what = why === "busy" ? `every daemon was busy for ${time}` : `no daemon was running for ${time}`
  return ShellFault.because(
    exec.commandId,
    { _tag: "Timeout", kind: "queue", afterMillis },
    `exec: ${exec.command} was not started: ${what} (TIMEOUT)`,
  )
}

const throttled = (exec: ShellExec, maxConcurrency: number, maxOpen: number): ShellFault =>
  ShellFault.because(
    exec.commandId,
    { _tag: "Throttled", maxConcurrency, maxQueued: Math.max(0, maxOpen - maxConcurrency) },
    `exec: ${exec.command} was not started: the daemon has ${maxOpen} open commands (maxOpen) and every other daemon is full too; ` +
      "try again later, raise this option, or start another daemon on the journal (THROTTLED)",
  )

const unknown = (exec: ShellExec, what: string, exception?: unknown): ShellFault =>
  ShellFault.because(exec.commandId, { _tag: "Unknown" }, `exec: ${exec.command} ${what} (UNKNOWN)`, { exception })

export const makeLastEvent =
  (journal: JournalService) => (exec: ShellExec, ending: EndCause<ShellFault>): Effect.Effect<RecordedFault> => {
    switch (ending._tag) {
      case "Broken": {
        const fault = Cause.findErrorOption(ending.cause)
        if (Option.isSome(fault)) return Effect.succeed(fault.value)
        return Effect.succeed(unknown(exec, "was ended: its service failed", Cause.pretty(ending.cause)))
      }
      case "Unfinished":
        return Effect.succeed(unknown(exec, "has no end: its shell did not report how it ended"))
      case "Cancelled":
        return Effect.succeed(makeCancelledFault(exec, ending.by))
      case "HostLost":
        return Effect.map(
          measureLostOutput(journal, exec),
          ({ output, place }) => {
            const fault = lost(exec, ending.lost, ending.recovered, ending.attempts, output)
            // `message` is no enumerable property of an error.
            return { ...fault, message: fault.message, ...place }
          },
        )
      case "JournalFailed":
        return Effect.succeed(makeJournalFault(exec, ending.error, true))
      case "NotTaken":
        return Effect.succeed(notTaken(exec, ending.afterMillis, ending.why))
      case "Throttled":
        return Effect.succeed(throttled(exec, ending.maxConcurrency, ending.maxOpen))
    }
  }
