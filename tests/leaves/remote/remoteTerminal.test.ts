import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { RemoteError } from "../../../src/client/RemoteError.ts"
import { CommandId } from "../../../src/command/CommandId.ts"
import { remoteTerminal } from "../../../src/leaves/remote/remoteTerminal.ts"

const away = new RemoteError({ reason: { _tag: "Unreachable" }, message: "the server is away" })
const ended = new RemoteError({ reason: { _tag: "Refused", status: 409 }, message: "the command has ended" })

/** A server that notes what arrives, or fails. */
const makeServer = () => {
  const server: { sent: Array<string>; tries: number; failure: RemoteError | undefined } = {
    sent: [],
    tries: 0,
    failure: undefined,
  }
  const send = (text: string) =>
    Effect.suspend(() => {
      server.tries++
      if (server.failure !== undefined) return Effect.fail(server.failure)
      return Effect.sync(() => void server.sent.push(text))
    })
  return {
    server,
    signal: (_: CommandId, name: string) => send(name),
    resize: (_: CommandId, { cols }: { cols: number }) => send(`${cols}`),
  }
}

const setUp = Effect.gen(function* () {
  const { server, ...client } = makeServer()
  const logged: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message }) => void logged.push(String(message)))
  const terminal = yield* remoteTerminal(client, CommandId.make("t"), yield* Effect.scope, 10_000).pipe(
    Effect.provide(Logger.layer([logger])),
  )
  return {
    server,
    logged,
    kill: (name: string) => terminal.kill?.(name),
    resize: (cols: number) => terminal.resize?.({ cols, rows: 1 }),
  }
})

it.effect("sends input that a lost connection held up in order, and only the last of several sizes", () =>
  Effect.gen(function* () {
    const { kill, logged, resize, server } = yield* setUp
    server.failure = away
    kill("SIGUSR1")
    kill("SIGUSR2")
    resize(1)
    yield* TestClock.adjust("5 seconds")
    resize(2)
    expect(server.tries).toBeGreaterThan(2)
    server.failure = undefined
    yield* TestClock.adjust("5 seconds")
    expect(server.sent).toEqual(["SIGUSR1", "SIGUSR2", "2"])
    expect(logged).toEqual([])
  }))

it.effect("drops input that does not arrive in time, and logs the first loss", () =>
  Effect.gen(function* () {
    const { kill, logged, resize, server } = yield* setUp
    server.failure = away
    kill("SIGUSR1")
    resize(1)
    yield* TestClock.adjust("1 minute")
    const { tries } = server
    yield* TestClock.adjust("1 hour")
    expect(server.tries).toBe(tries)
    expect(logged).toEqual([expect.stringContaining("the server is away")])
    server.failure = undefined
    resize(2)
    yield* TestClock.adjust(1)
    expect(server.sent).toEqual(["2"])
  }))

it.effect("sends once to a command that has ended, and logs nothing", () =>
  Effect.gen(function* () {
    const { kill, logged, server } = yield* setUp
    server.failure = ended
    kill("SIGTERM")
    yield* TestClock.adjust("1 minute")
    expect([server.tries, logged]).toEqual([1, []])
  }))
