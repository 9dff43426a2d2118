import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { makeWatchedSession } from "../../../src/leaves/ssh/watchedSession.ts"
import { eventually } from "../../support/eventually.ts"
import { makeFakeConnection } from "./fakeConnection.ts"

it.live("closes the channel of a watchdog whose start is interrupted", () =>
  Effect.gen(function* () {
    const { channels, transport } = makeFakeConnection(() => {})
    const starting = yield* Effect.forkChild(Effect.scoped(makeWatchedSession(transport, 1_000)))
    yield* eventually("the watchdog starts", () => (channels[0]?.sent ?? "") !== "")
    yield* Fiber.interrupt(starting)
    expect(channels.map(({ isClosed }) => isClosed)).toEqual([true])
  }))

it.live("a watchdog that is being replaced ends with the leaf", () =>
  Effect.gen(function* () {
    // The second watchdog starts, and does not answer.
    const { channels, transport } = makeFakeConnection((channel, index, line) => {
      if (index === 0) channel.start(line)
    })
    const scope = yield* Scope.make()
    const session = yield* Scope.provide(makeWatchedSession(transport, 1_000), scope)
    const { link } = yield* session.open
    session.add(link, 7, "marker")
    channels[0]?.close()
    yield* eventually("another watchdog starts", () => channels.length === 2)
    yield* Scope.close(scope, Exit.void)
    expect(channels.map(({ isClosed }) => isClosed)).toEqual([true, true])
  }))

it.live("logs why a watchdog was not replaced", () =>
  Effect.gen(function* () {
    const logged: Array<unknown> = []
    const logger = Logger.make(({ message }) => void logged.push(message))
    const { channels, transport } = makeFakeConnection((channel, index, line) => {
      if (index === 0) channel.start(line)
      else channel.push(null)
    })
    yield* Effect.scoped(Effect.gen(function* () {
      const session = yield* makeWatchedSession(transport, 1_000)
      const { link } = yield* session.open
      session.add(link, 7, "marker")
      channels[0]?.close()
      yield* eventually("a log", () => logged.length > 0)
    })).pipe(Effect.provide(Logger.layer([logger])))
    expect(String(logged[0])).toContain("ssh: the login shell of a:22 ended without running /bin/sh")
  }))
