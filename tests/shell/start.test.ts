import { expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Scheduler from "effect/Scheduler"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { ShellExec, type ShellFault } from "@sluice/shell"
import { makeProcessRuns, type ProcessLeaf, resolveLeafSettings, type SpawnedProcess } from "@sluice/shell/leaf"
import { FakeProcess } from "./fakeProcess.ts"

type Start = () => SpawnedProcess | Effect.Effect<SpawnedProcess, ShellFault>

const exited = (): FakeProcess => {
  const process = new FakeProcess()
  process.exit()
  return process
}

/** Runs of a leaf with one slot; its first start does what the test says, and the others a process that has exited. */
const leafOf = (first: Start) => {
  let starts = 0
  const prepare: ProcessLeaf["prepare"] = () => Result.succeed(() => starts++ === 0 ? first() : exited())
  const { exec } = makeProcessRuns({ ...resolveLeafSettings("hostile", { maxConcurrency: 1 }), prepare })
  const run = (command = ShellExec.make("it"), options: Parameters<typeof exec>[1] = {}) =>
    Stream.runDrain(exec(command, options))
  /** Succeeds if the slot of the first command is free again. */
  const hasSlot = Effect.andThen(run(), Effect.succeed(true))
  return { run, hasSlot }
}

const timed = ShellExec.make("it", [], { timeout: "5 seconds" })

const defect = new Error("thrown by the leaf")
const fails = (): never => {
  throw defect
}

const ways: ReadonlyArray<readonly [string, Start]> = [
  ["throws", fails],
  ["dies", () => Effect.die(defect)],
  ["dies later", () => Effect.andThen(Effect.promise(() => Promise.resolve()), Effect.die(defect))],
  ["is interrupted by the leaf itself", () => Effect.interrupt],
]
for (const [what, start] of ways) {
  it.effect(`has its slot back when a start ${what}`, () =>
    Effect.gen(function* () {
      const { hasSlot, run } = leafOf(start)
      const exit = yield* Effect.exit(run())
      expect(Exit.isFailure(exit) && !Cause.hasFails(exit.cause)).toBe(true)
      expect(yield* hasSlot).toBe(true)
    }))
}

it.effect("ends a process whose run cannot be built", () =>
  Effect.gen(function* () {
    const process = new FakeProcess()
    const { hasSlot, run } = leafOf(() => ({ ...process, terminate: process.terminate, onExit: fails }))
    const exit = yield* Effect.exit(run())
    expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
    expect(process.terminations).toBe(1)
    expect(process.stdout.released).toBe(true)
    expect(yield* hasSlot).toBe(true)
  }))

it.effect("refuses an unknown encoding before the start, also of a leaf that does not check it", () =>
  Effect.gen(function* () {
    let starts = 0
    const { hasSlot, run } = leafOf(() => {
      starts++
      return exited()
    })
    const fault = yield* Effect.flip(run(ShellExec.make("it", [], { encoding: "nonsense" })))
    expect(fault.reason).toMatchObject({ _tag: "InvalidRequest", field: "encoding" })
    expect(starts).toBe(0)
    expect(yield* hasSlot).toBe(true)
  }))

it.effect("applies the timeout to a start", () =>
  Effect.gen(function* () {
    const { hasSlot, run } = leafOf(() => Effect.interruptible(Effect.never))
    const running = yield* Effect.forkChild(Effect.flip(run(timed)))
    yield* TestClock.adjust("5 seconds")
    const fault = yield* Fiber.join(running)
    expect(fault.reason).toEqual({ _tag: "Timeout", kind: "total", afterMillis: 5_000 })
    expect(fault.message).toBe("exec: it did not start within 5s (TIMEOUT)")
    expect(yield* hasSlot).toBe(true)
  }))

it.effect("cancels a start by the signal of its run", () =>
  Effect.gen(function* () {
    const controller = new AbortController()
    const isWaiting = yield* Deferred.make<void>()
    const waiting = Effect.andThen(Deferred.succeed(isWaiting, undefined), Effect.never)
    const { hasSlot, run } = leafOf(() => Effect.interruptible(waiting))
    const running = yield* Effect.forkChild(Effect.flip(run(ShellExec.make("it"), { signal: controller.signal })))
    yield* Deferred.await(isWaiting)
    controller.abort()
    expect((yield* Fiber.join(running)).reason).toEqual({ _tag: "Cancelled", by: "signal" })
    expect(yield* hasSlot).toBe(true)
  }))

it.effect("interrupts a start, and waits until it has cleaned up", () =>
  Effect.gen(function* () {
    const isWaiting = yield* Deferred.make<void>()
    let cleanedUp = 0
    const waiting = Effect.andThen(Deferred.succeed(isWaiting, undefined), Effect.never).pipe(
      Effect.onInterrupt(() => Effect.andThen(Effect.promise(() => Promise.resolve()), Effect.sync(() => cleanedUp++))),
    )
    const { hasSlot, run } = leafOf(() => Effect.interruptible(waiting))
    const running = yield* Effect.forkChild(run())
    yield* Deferred.await(isWaiting)
    yield* Fiber.interrupt(running)
    expect(cleanedUp).toBe(1)
    expect(yield* hasSlot).toBe(true)
  }))

for (const ending of ["its timeout", "an interruption"] as const) {
  it.effect(`ends a process that starts after ${ending}`, () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<SpawnedProcess>()
      const process = new FakeProcess()
      // What a runtime does that starts processes by a promise: nothing can interrupt it.
      const { hasSlot, run } = leafOf(() => Deferred.await(gate))
      const running = yield* Effect.forkChild(run(ending === "its timeout" ? timed : ShellExec.make("it")))
      yield* TestClock.adjust("5 seconds")
      if (ending === "an interruption") yield* Effect.forkChild(Fiber.interrupt(running))
      // The grace, and five seconds.
      yield* TestClock.adjust("10 seconds")
      // The caller goes on; the slot is kept for the process that may come.
      const exit = yield* Fiber.await(running)
      expect(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)).toBe(ending === "an interruption")
      expect(process.terminations).toBe(0)
      const next = yield* Effect.forkChild(hasSlot)
      yield* Deferred.succeed(gate, process)
      expect(yield* Fiber.join(next)).toBe(true)
      expect(process.terminations).toBe(1)
    }))
}

it.effect(
  "ends a process that starts while its run is interrupted before it waits for it",
  () =>
    Effect.gen(function* () {
      const process = new FakeProcess()
      let isStarted = false
      const { hasSlot, run } = leafOf(() => {
        const started = Promise.resolve(process)
        isStarted = true
        queueMicrotask(() => running.interruptUnsafe())
        return Effect.promise(() => started)
      })
      // Yields right after the start, as a fiber does after 2,048 steps.
      const scheduler: Scheduler.Scheduler = Object.assign(Object.create(yield* Scheduler.Scheduler), {
        shouldYield: (fiber: unknown) => {
          const yields = isStarted && fiber === running
          if (yields) isStarted = false
          return yields
        },
      })
      const running = yield* Effect.forkChild(Effect.provideService(run(), Scheduler.Scheduler, scheduler))
      yield* Fiber.await(running)
      expect(process.terminations).toBe(1)
      expect(yield* hasSlot).toBe(true)
    }),
  5_000,
)
