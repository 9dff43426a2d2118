/**
 * `sluice serve`: commands over HTTP, for whoever has the token.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { shellRoutes } from "../http/Http.ts"
import { Shell } from "../shell/Shell.ts"
import { statusOfFault } from "./exitStatus.ts"
import { makeKillableShell } from "./killableShell.ts"
import { listen } from "./listen.ts"
import type { Address, Listening } from "./Listening.ts"
import { OwnOutput } from "./Output.ts"
import type { EndSignal, OwnProcess } from "./OwnProcess.ts"
import { say } from "./say.ts"
import { UsageError } from "./UsageError.ts"

/** Where to serve, and for whom. */
export interface ServeOptions extends Address {
  /** What clients must send; a new one is made and told when there is none. */
  readonly token: string | undefined
}

const newToken = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, "0")).join("")

const isOnlyHere = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.")

const urlOf = (host: string, port: number): string => `http://${host.includes(":") ? `[${host}]` : host}:${port}`

const reasonOf = (error: unknown): string => error instanceof Error ? error.message : String(error)

/** Time that clients have to take the last of their answers. */
const farewell = "1 second"

/** Serves until a signal comes; then ends all commands, and answers with the status to exit with. */
export const serve = (options: ServeOptions, own: OwnProcess): Effect.Effect<number, UsageError> =>
  Effect.gen(function* () {
    const output = new OwnOutput(own)
    const tell = (text: string): Effect.Effect<void> => Effect.ignore(say(output, text))
    const killable = makeKillableShell()
    if (killable === undefined) return yield* Effect.fail(new UsageError("needs Deno, Bun or Node"))

    const token = options.token ?? newToken()
    const routes = yield* Effect.try({
      try: () => shellRoutes({ context: Context.make(Shell, killable.shell), token }),
      catch: (error) => new UsageError(`--token: ${reasonOf(error)}`),
    })
    const server = yield* Effect.tryPromise({
      try: () => listen(options, (request, env) => routes.fetch(request, env)),
      catch: (error) => new UsageError(`cannot listen on ${urlOf(options.host, options.port)}: ${reasonOf(error)}`),
    })
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
    yield* Effect.raceFirst(shutDown(server, routes.dispose), Effect.andThen(second.await, killable.killAll))
    return second.isOpen() ? statusOfFault({ _tag: "Cancelled" }, by) : 0
  })

/** Accepts no more, ends the commands, lets clients have their ends. */
const shutDown = (server: Listening, dispose: () => Promise<void>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const closed = server.close()
    yield* Effect.promise(dispose)
    const done = yield* Effect.timeoutOption(Effect.promise(() => closed), farewell)
    if (done._tag === "None") yield* Effect.promise(() => server.closeNow())
  })
