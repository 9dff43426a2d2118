import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as MockRun from "../../../src/leaves/mock/MockRun.ts"
import { MockShell } from "../../../src/leaves/mock/MockShell.ts"
import { ProcessTable, runCommand, Spellbook, startProcess } from "../../../src/spell/mod.ts"

const book = Spellbook.make(startProcess, runCommand)

/** How often a process was ended, and a table. */
const world = (ended: Array<string>) =>
  Layer.merge(
    MockShell.layer([
      MockShell.on("server", [
        MockRun.onTerminate(MockRun.effect(({ exit }) =>
          Effect.suspend(() => {
            ended.push("server")
            return exit({ exitCode: 0 })
          })
        )),
        MockRun.hang,
      ]),
    ]),
    ProcessTable.layer,
  )

it.effect("ends a process whose start was cancelled: its id is known to no caller", () => {
  const ended: Array<string> = []
  return Effect.gen(function* () {
    const call = Spellbook.cast(book, "start_process", { command: "server", waitSeconds: 60 })
    const fiber = yield* Effect.forkChild(call)
    yield* TestClock.adjust("30 seconds")
    expect(ended).toEqual([])
    yield* Fiber.interrupt(fiber)
    expect(ended).toEqual(["server"])
  }).pipe(Effect.provide(world(ended)))
})

it.effect("lets a process run whose start was answered, until the table ends", () => {
  const ended: Array<string> = []
  return Effect.gen(function* () {
    yield* Effect.gen(function* () {
      const call = Spellbook.cast(book, "start_process", { command: "server", waitSeconds: 1 })
      const fiber = yield* Effect.forkChild(call)
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(fiber)).toMatchObject({ isRunning: true })
      yield* TestClock.adjust("30 minutes")
      expect(ended).toEqual([])
    }).pipe(Effect.provide(world(ended)))
    expect(ended).toEqual(["server"])
  })
})

it.effect("ends a process at its time limit", () => {
  const ended: Array<string> = []
  return Effect.gen(function* () {
    const call = Spellbook.cast(book, "start_process", { command: "server", timeoutSeconds: 10, waitSeconds: 60 })
    const fiber = yield* Effect.forkChild(call)
    yield* TestClock.adjust("1 minute")
    expect(yield* Fiber.join(fiber)).toMatchObject({
      isRunning: false,
      ended: expect.stringContaining("did not end within 10s"),
    })
    expect(ended).toEqual(["server"])
  }).pipe(Effect.provide(world(ended)))
})
