/**
 * `sluice serve`: commands over HTTP, for whoever has the token.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import { shellRoutes } from "../../http/Http.ts"
import type { JournalService } from "../../journal/JournalService.ts"
import { AccessPolicy } from "../../shell/AccessPolicy.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { statusOfFault } from "../exitStatus.ts"
import { chosenLocation } from "../journal/location.ts"
import { openJournal } from "../journal/openJournal.ts"
import { makeKillableShell } from "../killableShell.ts"
import { listen } from "../listen.ts"
import type { Listening } from "../Listening.ts"
import { OwnOutput } from "../Output.ts"
import type { EndSignal, OwnProcess } from "../OwnProcess.ts"
import { isOnlyHere, newToken, urlOf } from "../reach.ts"
import { say } from "../say.ts"
import { UsageError } from "../UsageError.ts"
import type { Allowed, ServeRequest } from "./ServeRequest.ts"

const reasonOf = (error: unknown): string => error instanceof Error ? error.message : String(error)

/** Time that clients have to take the last of their answers. */
const farewell = "1 second"

/** The journal that was asked for; without one the routes have theirs, in memory. */
const journalAt = (
  own: OwnProcess,
  at: string | undefined,
): Effect.Effect<JournalService | undefined, UsageError, Scope.Scope> =>
  Effect.suspend(() => {
    const location = chosenLocation(own, at)
    if (location === undefined) return Effect.succeed(undefined)
    return Effect.flatMap(location, (where) => openJournal(where, "append")).pipe(
      Effect.catchTag("JournalError", ({ message }) => Effect.fail(new UsageError(message))),
    )
  })

const guarded = (shell: ShellService, allowed: Allowed | undefined): Effect.Effect<ShellService, UsageError> =>
  allowed === undefined ? Effect.succeed(shell) : Effect.mapError(
    Effect.flatMap(AccessPolicy.fromEnvironment({ ...allowed }), (policy) => AccessPolicy.wrap(policy, shell)),
    ({ message }) => new UsageError(message),
  )

/** Serves until a signal comes; then ends all commands, and answers with the status to exit with. */
export const serve = (options: ServeRequest, own: OwnProcess): Effect.Effect<number, UsageError> =>
  Effect.scoped(Effect.gen(function* () {
    const output = new OwnOutput(own)
    const tell = (text: string): Effect.Effect<void> => Effect.ignore(say(output, text))
    const { maxConcurrent } = options
    const killable = makeKillableShell({ concurrencyLimit: maxConcurrent })
    if (killable === undefined) return yield* Effect.fail(new UsageError("needs Deno, Bun or Node"))
    const shell = yield* guarded(killable.shell, options.allowed)
    const journal = yield* journalAt(own, options.journal)

    const token = options.token ?? newToken()
    const routes = yield* Effect.try({
      try: () => shellRoutes({ context: Context.make(Shell, shell), journal, token }),
      catch: (error) => new UsageError(`--token: ${reasonOf(error)}`),
    })
    // The page is as large as all the rest.
    const { consoleRoutes } = yield* Effect.promise(() => import("../../console/Console.ts"))
    const app = consoleRoutes().route("/", routes)
    const server = yield* Effect.tryPromise({
      try: () => listen(options, (request, env) => app.fetch(request, env)),
      catch: (error) => new UsageError(`cannot listen on ${urlOf(options.host, options.port)}: ${reasonOf(error)}`),
    })
    // What a server that was killed has left runs on until somebody looks.
    yield* Effect.promise(routes.start)
    const first = Latch.makeUnsafe()
    const second = Latch.makeUnsafe()
    let by: EndSignal | undefined
    own.onSignal((signal) => {
      if (by === undefined) by = signal
      else second.openUnsafe()
      first.openUnsafe()
    })

    if (options.token === undefined) yield* tell(`token ${token}`)
    if (!isOnlyHere(options.host)) yield* tell(`others can reach ${options.host}, and what goes there is not encrypted`)
    const address = `${urlOf(options.host, server.port)}/exec\n`
    yield* Effect.ignore(output.write(1, new TextEncoder().encode(address)))

    yield* first.await
    const down = shutDown(server, () => routes.dispose({ drain: options.drainMillis }), options.drainMillis > 0)
    yield* Effect.raceFirst(down, Effect.andThen(second.await, killable.killAll))
    return second.isOpen() ? statusOfFault({ _tag: "Cancelled" }, by) : 0
  }))

/**
 * Accepts no more, ends the commands, lets clients have their ends. A server that drains goes on listening meanwhile:
 * those who ask are told that it goes down, and those who read may come back.
 */
const shutDown = (server: Listening, dispose: () => Promise<void>, drains: boolean): Effect.Effect<void> =>
  Effect.gen(function* () {
    const before = drains ? undefined : server.close()
    yield* Effect.promise(dispose)
    const closed = before ?? server.close()
    const done = yield* Effect.timeoutOption(Effect.promise(() => closed), farewell)
    if (done._tag === "None") yield* Effect.promise(() => server.closeNow())
  })
