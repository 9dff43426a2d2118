import { expect } from "@effect/vitest"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { Chunking, Shell, type ShellOutputChunk } from "@sluice/shell"
import { eventually, pause } from "../eventually.ts"
import { workshop } from "../workshop.ts"
import { awaitFile, clockTestOf, type ContractTarget, run, sh, whole } from "./target.ts"

/** Moves the clock, step by step of real time, until a fiber has ended. */
const moveUntilDone = <A, E>(fiber: Fiber.Fiber<A, E>, step: Duration.Input = "100 millis"): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust(step)
      yield* pause(5)
    }
    return yield* Fiber.join(fiber)
  })

/** Moves the clock, step by step of real time, until something is so. */
const moveUntil = (holds: () => boolean, step: Duration.Input): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let round = 0; !holds(); round++) {
      if (round === 500) return yield* Effect.die(new Error("it never came true"))
      yield* TestClock.adjust(step)
      yield* pause(10)
    }
  })

/** Runs a command in the background, and keeps what has come so far. */
const started = (script: string, chunking?: Chunking.Chunking) =>
  Effect.gen(function* () {
    const chunks: Array<ShellOutputChunk> = []
    const fiber = yield* Shell.exec(sh(script), { chunking }).pipe(
      Stream.tap((event) => Effect.sync(() => event._tag === "ShellOutputChunk" && chunks.push(event))),
      Stream.runLast,
      Effect.forkChild,
    )
    return { fiber, chunks, contents: () => chunks.map(({ content }) => content) }
  })

export const clock = (target: ContractTarget): void => {
  const test = clockTestOf(target)
  const { files, machine, signals } = target.can
  /** Seconds that no test waits for: of real time, or of the clock where commands sleep by it too. */
  const longSleep = machine === false ? 7_200 : 20

  test("takes timestamps from the program's clock", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 day")
      const { chunks, output } = yield* run(sh("echo now"))
      expect(chunks.map(({ timestamp }) => timestamp)).toEqual([86_400_000])
      expect(output).toMatchObject({ duration: 0, completed: 86_400_000 })
    }))

  test("waits an hour for a timeout of an hour", () =>
    Effect.gen(function* () {
      let heard = false
      const fiber = yield* Shell.exec(sh(`echo up; sleep ${longSleep}`, { timeout: "1 hour" })).pipe(
        Stream.tap(() => Effect.sync(() => void (heard = true))),
        Stream.runDrain,
        Effect.flip,
        Effect.forkChild,
      )
      yield* eventually("it is up", () => heard)
      yield* TestClock.adjust("59 minutes")
      yield* pause(50)
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 minute")
      const fault = yield* Fiber.join(fiber)
      expect(fault.reason).toEqual({ _tag: "Timeout", kind: "total", afterMillis: 3_600_000 })
      expect(fault.stdout).toBe("up\n")
    }))

  test("closes a held pipe after the drain grace of that clock", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(whole(sh(`sleep ${longSleep} & echo done`)))
      yield* pause(200)
      yield* TestClock.adjust("59 seconds")
      yield* pause(20)
      expect(fiber.pollUnsafe()).toBeUndefined()
      expect(yield* moveUntilDone(fiber, "1 second")).toMatchObject({ stdout: "done\n", drain: "cut" })
    }), { drainGrace: "1 minute" })

  if (!files) return

  test("measures silence from the last output", () =>
    Effect.gen(function* () {
      const { path, write } = yield* workshop
      const script = `${awaitFile(path("gate"))}; echo word; sleep 20`
      let heard = false
      const fiber = yield* Shell.exec(sh(script, { idleTimeout: "1 hour" })).pipe(
        Stream.tap(() => Effect.sync(() => void (heard = true))),
        Stream.runDrain,
        Effect.flip,
        Effect.forkChild,
      )
      yield* pause(50)
      yield* TestClock.adjust("50 minutes")
      write("gate", "")
      yield* eventually("the word is heard", () => heard)
      yield* pause(50)
      yield* TestClock.adjust("50 minutes")
      yield* pause(50)
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("10 minutes")
      expect((yield* Fiber.join(fiber)).reason).toMatchObject({ _tag: "Timeout", kind: "idle" })
    }))

  test("applies the timeout to the wait in the queue", () =>
    Effect.gen(function* () {
      const { path, write } = yield* workshop
      const holder = yield* Effect.forkChild(run(sh(awaitFile(path("gate")))))
      yield* pause(20)
      const fiber = yield* Effect.forkChild(Effect.flip(run(sh("true", { timeout: "1 hour" }))))
      yield* pause(20)
      yield* TestClock.adjust("1 hour")
      expect((yield* Fiber.join(fiber)).reason).toEqual({ _tag: "Timeout", kind: "queue", afterMillis: 3_600_000 })
      write("gate", "")
      yield* Fiber.join(holder)
    }), { maxConcurrency: 1 })

  test("holds a partial line for 100 ms of that clock, from its read", () =>
    Effect.gen(function* () {
      const { path, write } = yield* workshop
      // In one write, as below.
      const { contents, fiber } = yield* started(`printf 'a\\nb'; ${awaitFile(path("gate"))}; echo c`)
      yield* eventually("the whole line comes at once", () => contents().length === 1)
      yield* pause(150)
      yield* TestClock.adjust("99 millis")
      yield* pause(20)
      expect(contents()).toEqual(["a\n"])
      yield* moveUntil(() => contents().length === 2, "1 millis")
      write("gate", "")
      yield* Fiber.join(fiber)
      expect(contents()).toEqual(["a\n", "b", "c\n"])
    }))

  test("cuts chunks by the time of that clock", () =>
    Effect.gen(function* () {
      const { path, size, write } = yield* workshop
      // In one write: a busy machine may read two with minutes of that clock between them.
      const script = `printf 'a\\nb\\n'; printf . > '${path("written")}'; ${awaitFile(path("gate"))}; echo c`
      const { contents, fiber } = yield* started(script, Chunking.time("1 minute"))
      yield* eventually("both lines are written", () => size("written") > 0)
      yield* pause(150)
      yield* TestClock.adjust("59 seconds")
      expect(contents()).toEqual([])
      yield* moveUntil(() => contents().length === 1, "1 second")
      write("gate", "")
      yield* Fiber.join(fiber)
      expect(contents()).toEqual(["a\nb\n", "c\n"])
    }))

  if (signals === false) return

  test("kills a process that ignores SIGTERM after the grace period of that clock, and not before", () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const script = `trap '' TERM; i=0; while [ $i -lt 1000 ]; do printf . >> '${path("heartbeat")}'; sleep 0.02; ` +
        "i=$((i + 1)); done"
      const exec = sh(script, { timeout: "1 hour", grace: "1 day" })
      const fiber = yield* Effect.forkChild(Effect.flip(run(exec)))
      yield* eventually("it runs", () => size("heartbeat") > 2)
      yield* TestClock.adjust("1 hour")
      yield* pause(100)
      yield* TestClock.adjust("23 hours")
      const before = size("heartbeat")
      yield* eventually("it still runs", () => size("heartbeat") > before + 2)
      expect(fiber.pollUnsafe()).toBeUndefined()
      const fault = yield* moveUntilDone(fiber, "1 hour")
      expect(fault.reason).toMatchObject({ _tag: "Timeout", kind: "total" })
      const last = size("heartbeat")
      yield* pause(150)
      expect(size("heartbeat")).toBe(last)
    }))
}
