/** Handles the routes below `/commands`. */
import * as Effect from "effect/Effect"
import { isOpen } from "../history/CommandRecord.ts"
import { cancelCommand } from "./cancelRoute.ts"
import { changesResponse } from "./changesResponse.ts"
import { commandInfoResponse, readLastSize } from "./commandInfo.ts"
import type { AuthenticatedHandler } from "./requestGuard.ts"
import type { makeJournalResponder } from "./journalResponder.ts"
import { inputResponse } from "./inputResponse.ts"
import { disableIdleTimeout } from "../server/disableIdleTimeout.ts"
import { listResponse } from "./listResponse.ts"
import { negotiateChanges, negotiateEvents } from "./negotiate.ts"
import { flagOf, lastEventId } from "./query.ts"
import type { ShellServer } from "./ShellServer.ts"

type Route = "list" | "changes" | "info" | "events" | "input" | "cancel"

export const commandHandlers = (
  { keepAlive, lookup: { commandOf, withJournal }, runs, unendedOf }: ShellServer,
  respondFromJournal: ReturnType<typeof makeJournalResponder>,
): Readonly<Record<Route, AuthenticatedHandler>> => {
  return {
    list: ({ c, grant }) => withJournal((journal) => listResponse(runs, journal, unendedOf(journal), c.req, grant)),

    info: (request) =>
      withJournal((journal) =>
        Effect.gen(function* () {
          const record = yield* commandOf(journal, request)
          return commandInfoResponse(record, runs, 200, yield* readLastSize(journal, record))
        })
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
              reader: runs.running.get(record.commandId)?.disconnectGrace?.attach(),
              signal: raw.signal,
              onSent: disableIdleTimeout(raw, request.c.env),
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
