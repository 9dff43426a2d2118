import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { Sandbox } from "@sluice/shell/sandbox"
import { eventually, pause } from "../../support/eventually.ts"
import { stdoutOf } from "./support.ts"

const make = Effect.flatMap(Sandbox.programClock, (clock) => Sandbox.make({ clock }))

it.effect("gives processes and files the time of the program's clock", () =>
  Effect.scoped(Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 10, 22, 5, 4, 3))
    const sandbox = yield* make
    expect(yield* stdoutOf(sandbox, "date -u +%FT%TZ; echo > f")).toBe("2026-11-22T05:04:03Z\n")
    expect((yield* sandbox.stat("f")).modified).toBe(BigInt(Date.UTC(2026, 10, 22, 5, 4, 3)) * 1_000_000n)
  })))

it.effect("lets a script sleep by the program's clock", () =>
  Effect.scoped(Effect.gen(function* () {
    const sandbox = yield* make
    const fiber = yield* Effect.forkChild(stdoutOf(sandbox, "sleep 3600; echo awake"))
    yield* eventually("it sleeps", () => sandbox.kernel.processes === 2)
    yield* pause(20)
    yield* TestClock.adjust("59 minutes")
    yield* pause(20)
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 minute")
    expect(yield* Fiber.join(fiber)).toBe("awake\n")
  })))

it.effect("does not wake a killed process", () =>
  Effect.scoped(Effect.gen(function* () {
    const sandbox = yield* make
    const fiber = yield* Effect.forkChild(sandbox.run("sleep 60; echo never > f"))
    yield* eventually("it sleeps", () => sandbox.kernel.processes === 2)
    yield* Fiber.interrupt(fiber)
    yield* TestClock.adjust("1 hour")
    yield* pause(20)
    expect(yield* sandbox.list()).toEqual([])
  })))
