/** Finds the command of a request's path in the journal, and ends a lost one first. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { runPromise } from "../base/stderrLogs.ts"
import type { CommandRecord } from "../history/CommandRecord.ts"
import { commandById } from "../history/findCommand.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import { endLost } from "../history/endLost.ts"
import { type HttpRefusal, problemResponse, refuse, refuseJournal } from "./problem.ts"
import type { AuthenticatedRequest } from "./requestGuard.ts"
import type { RunSupervisor } from "./RunSupervisor.ts"

export interface CommandLookup {
  readonly withJournal: (
    answer: (journal: JournalService) => Effect.Effect<Response, HttpRefusal | JournalError>,
  ) => Promise<Response>
  /** The command of a path. A lost one is ended first. */
  readonly commandOf: (
    journal: JournalService,
    request: Pick<AuthenticatedRequest, "c">,
  ) => Effect.Effect<CommandRecord, HttpRefusal | JournalError>
}

export const makeCommandLookup = (runs: RunSupervisor, retryAfterSeconds: number): CommandLookup => {
  const unavailable = refuse(503, "unavailable", "the journal cannot be reached at the moment", {
    headers: { "retry-after": String(retryAfterSeconds) },
  })
  return {
    withJournal: async (answer) => {
      const journal = await runs.journal().catch(() => undefined)
      if (journal === undefined) return problemResponse(unavailable)
      const result = await runPromise(Effect.result(answer(journal)))
      if (Result.isSuccess(result)) return result.success
      return problemResponse(result.failure._tag === "Refusal" ? result.failure : refuseJournal(result.failure))
    },

    commandOf: (journal, { c }) =>
      Effect.gen(function* () {
        const find = Effect.provideService(commandById(c.req.param("id") ?? ""), Journal, journal)
        const record = (yield* find) ?? runs.running.get(c.req.param("id") ?? "")?.recordAt()
        if (record === undefined) {
          return yield* Effect.fail(refuse(404, "unknown-command", "no command of the journal has this id"))
        }
        if (record.state._tag !== "Lost") return record
        const services = yield* Effect.promise(() => runs.services().catch(() => undefined))
        if (services === undefined) return record
        yield* endLost(services, record)
        return (yield* find) ?? record
      }),
  }
}
