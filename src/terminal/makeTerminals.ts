/** Makes the registry of sessions: limits their number, ends idle ones, and removes ended ones after a while. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { millisOf } from "../base/duration.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import { type OptionError, refuseUnknownOptions, requireCount } from "../base/OptionError.ts"
import type { CommandId } from "../command/CommandId.ts"
import { Shell } from "../shell/Shell.ts"
import { openSession } from "./openSession.ts"
import type { TerminalSession } from "./Session.ts"
import { type TerminalError, terminalError } from "./TerminalError.ts"
import type { TerminalsOptions, TerminalsService } from "./TerminalsService.ts"

const optionNames: Readonly<Record<keyof TerminalsOptions, true>> = {
  maxSessions: true,
  idleTimeout: true,
  endedRetention: true,
}

const unknownSession = (id: CommandId): TerminalError =>
  terminalError({ _tag: "NotFound", id }, `there is no session ${id}; it has ended, or list shows others`)

/** Makes the registry. Its sessions end with the scope. */
export const makeTerminals = (
  options: TerminalsOptions,
): Effect.Effect<TerminalsService, OptionError, Shell | Scope.Scope> =>
  Effect.gen(function* () {
    const { idleTimeoutMillis, retentionMillis, maxSessions } = yield* attemptOptions(() => {
      refuseUnknownOptions("Terminals", options, optionNames)
      return {
        maxSessions: requireCount("Terminals", "maxSessions", options.maxSessions ?? 16, { min: 1 }),
        idleTimeoutMillis: millisOf("idleTimeout", options.idleTimeout ?? "30 minutes"),
        retentionMillis: millisOf("endedRetention", options.endedRetention ?? "1 minute"),
      }
    })
    const shell = yield* Shell
    const context = yield* Effect.context<never>()
    const scope = yield* Effect.scope
    const sessions = new Map<CommandId, TerminalSession>()
    const opening = new Set<CommandId>()

    const waitUntilIdle = (session: TerminalSession): Effect.Effect<void> =>
      Effect.gen(function* () {
        if (idleTimeoutMillis === Infinity) return yield* Effect.never
        for (;;) {
          const { activeAt, clients } = yield* session.info
          const now = yield* Clock.currentTimeMillis
          const left = (clients > 0 ? now : activeAt) + idleTimeoutMillis - now
          if (left <= 0) return
          yield* Effect.sleep(left)
        }
      })

    /** Removes a session, but not another that has its id since it was closed. */
    const remove = (session: TerminalSession): Effect.Effect<void> =>
      Effect.sync(() => void (sessions.get(session.id) === session && sessions.delete(session.id)))

    /** Ends a session when it is idle, and removes it some time after its end. */
    const watch = (session: TerminalSession): Effect.Effect<void> =>
      Effect.gen(function* () {
        yield* Effect.raceFirst(Effect.exit(session.exit), waitUntilIdle(session))
        yield* session.close
        yield* Effect.sleep(retentionMillis)
        yield* remove(session)
      })

    const running = Effect.gen(function* () {
      let count = opening.size
      for (const session of sessions.values()) if (!(yield* session.info).ended) count++
      return count
    })

    const find = (id: CommandId): Effect.Effect<TerminalSession, TerminalError> =>
      Effect.suspend(() => {
        const session = sessions.get(id)
        return session === undefined ? Effect.fail(unknownSession(id)) : Effect.succeed(session)
      })

    return {
      open: (exec, sessionOptions) =>
        Effect.gen(function* () {
          const id = exec.commandId
          if (sessions.has(id) || opening.has(id)) {
            return yield* Effect.fail(
              terminalError({ _tag: "InvalidArgument", argument: "commandId" }, `there is a session ${id} already`),
            )
          }
          if ((yield* running) >= maxSessions) {
            return yield* Effect.fail(
              terminalError(
                { _tag: "TooManySessions", maxSessions: maxSessions },
                `${maxSessions} sessions are open; close one, or raise maxSessions`,
              ),
            )
          }
          opening.add(id)
          const session = yield* openSession(exec, sessionOptions).pipe(
            Effect.provideContext(context),
            Effect.provideService(Shell, shell),
            Effect.provideService(Scope.Scope, scope),
            Effect.ensuring(Effect.sync(() => opening.delete(id))),
          )
          sessions.set(id, session)
          yield* Effect.forkIn(watch(session), scope)
          return session
        }),
      get: find,
      list: Effect.suspend(() => Effect.all([...sessions.values()].map(({ info }) => info))),
      close: (id) => Effect.flatMap(find(id), (session) => Effect.andThen(session.close, remove(session))),
    }
  })
