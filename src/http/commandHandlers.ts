/**
 * Makes the handlers below `/commands` (list, changes, one command, its events, input, cancel), which read the journal
 * and end a lost command first.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Duration from "effect/Duration"
import { type CommandRecord, isOpen } from "../history/CommandRecord.ts"
import { commandById } from "../history/findCommand.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import { cancelCommand } from "./cancelRoute.ts"
import { changesResponse } from "./changesRoute.ts"
import { commandInfoResponse } from "./commandInfo.ts"
import type { AuthenticatedRequest } from "./requestGuard.ts"
import type { makeJournalResponder } from "./journalResponder.ts"
import { inputResponse } from "./inputRoute.ts"
import { disableIdleTimeout } from "../server/Server.ts"
import { listResponse } from "./listRoute.ts"
import { negotiateChanges, negotiateEvents } from "./negotiate.ts"
import { problemResponse, type Refusal, refuse, refuseJournal } from "./problem.ts"
import { flagOf, lastEventId } from "./query.ts"
import { endLost } from "./endLostCommands.ts"
import type { RunSupervisor } from "./RunSupervisor.ts"

/** Settings of {@link commandHandlers}. */
export interface CommandHandlersOptions {
  readonly keepAlive: Duration.Duration
  readonly retryAfterSeconds: number
  readonly respondFromJournal: ReturnType<typeof makeJournalResponder>
}

type Handler = (request: AuthenticatedRequest) => Promise<Response>

/** Handlers of the routes below `/commands`. */
export interface CommandHandlers {
  readonly list: Handler
  readonly changes: Handler
  readonly info: Handler
  readonly events: Handler
  readonly input: Handler
  readonly cancel: Handler
}

/** Makes the handlers. */
export const commandHandlers = (
  runs: RunSupervisor,
  { keepAlive, retryAfterSeconds, respondFromJournal }: CommandHandlersOptions,
): CommandHandlers => {
  const unavailable = refuse(503, "unavailable", "the journal cannot be reached at the moment", {
    headers: { "retry-after": String(retryAfterSeconds) },
  })

  /** Responds from the journal; journal errors become problems. */
  const withJournal = async (
    answer: (journal: JournalService) => Effect.Effect<Response, Refusal | JournalError>,
  ): Promise<Response> => {
    const journal = await runs.journal().catch(() => undefined)
    if (journal === undefined) return problemResponse(unavailable)
    const result = await Effect.runPromise(Effect.result(answer(journal)))
    if (Result.isSuccess(result)) return result.success
    return problemResponse(result.failure._tag === "Refusal" ? result.failure : refuseJournal(result.failure))
  }

  /** The command of a path. A lost one is ended first. */
  const commandOf = (
    journal: JournalService,
    { c }: AuthenticatedRequest,
  ): Effect.Effect<CommandRecord, Refusal | JournalError> =>
    Effect.gen(function* () {
      const find = Effect.provideService(commandById(c.req.param("id") ?? ""), Journal, journal)
      const record = (yield* find) ?? runs.running.get(c.req.param("id") ?? "")?.record
      if (record === undefined) {
        return yield* Effect.fail(refuse(404, "unknown-command", "no command of the journal has this id"))
      }
      if (record.state._tag !== "Lost") return record
      const services = yield* Effect.promise(() => runs.services().catch(() => undefined))
      if (services === undefined) return record
      yield* endLost(services, record)
      return (yield* find) ?? record
    })

  return {
    list: ({ c, grant }) => withJournal((journal) => listResponse(runs, journal, c.req, grant)),

    info: (request) =>
      withJournal((journal) =>
        Effect.map(commandOf(journal, request), (record) => commandInfoResponse(record, runs, 200))
      ),

    events: (request) =>
      withJournal((journal) =>
        Effect.gen(function* () {
          const { raw } = request.c.req
          const type = yield* Effect.fromResult(negotiateEvents(request.c.req.header("accept")))
          const after = yield* Effect.fromResult(lastEventId(request.c.req))
          const record = yield* commandOf(journal, request)
          return yield* Effect.promise(() =>
            respondFromJournal({
              journal,
              record,
              type,
              after,
              waitForFirst: false,
              reader: runs.running.get(record.commandId)?.disconnectGrace?.attach(),
              signal: raw.signal,
              onEnd: disableIdleTimeout(raw, request.c.env),
            })
          )
        })
      ),

    changes: (request) =>
      withJournal((journal) =>
        Effect.gen(function* () {
          const { raw } = request.c.req
          const type = yield* Effect.fromResult(negotiateChanges(request.c.req.header("accept")))
          const after = (yield* Effect.fromResult(lastEventId(request.c.req))) ?? (yield* journal.head).position
          const { signal } = raw
          return changesResponse({
            runs,
            journal,
            type,
            after,
            keepAlive,
            signal,
            onEnd: disableIdleTimeout(raw, request.c.env),
          })
        })
      ),

    input: (request) =>
      withJournal((journal) =>
        Effect.gen(function* () {
          const record = yield* commandOf(journal, request)
          const { raw } = request.c.req
          const done = disableIdleTimeout(raw, request.c.env)
          const fed = runs.running.get(record.commandId)?.input
          return yield* Effect.promise(() => inputResponse(record.commandId, fed, request.c.req).finally(done))
        })
      ),

    cancel: (request) =>
      withJournal((journal) =>
        Effect.gen(function* () {
          const record = yield* commandOf(journal, request)
          yield* cancelCommand(runs, journal, record, flagOf(request.c.req, "force") ?? false)
          return commandInfoResponse(record, runs, isOpen(record) ? 202 : 200)
        })
      ),
  }
}
