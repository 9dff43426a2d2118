import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { Shell } from "@sluice/shell"
import { pause } from "../eventually.ts"
import { startsEachOnce } from "../startsEachOnce.ts"
import { workshop } from "../workshop.ts"
import { awaitFile, faultOf, type Part, run, sh, textOf } from "./target.ts"

export const queue: Part = (test, { can }) => {
  test("runs one after the other, in order, when one may run at once", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      // In a file where there is one: the end of a command's output may be read after the start of the next one's.
      const files = can.files ? yield* workshop : undefined
      const to = files === undefined ? "" : ` >> ${files.path("order")}`
      const stream = (n: number) =>
        Shell.exec(sh(`echo start ${n}${to}; sleep 0.05; echo end ${n}${to}`)).pipe(
          Stream.tap((event) =>
            Effect.sync(() => event._tag === "ShellOutputChunk" && order.push(event.content.trim()))
          ),
          Stream.runDrain,
        )
      yield* Effect.forEach([1, 2, 3, 4, 5], stream, { concurrency: "unbounded" })
      const lines = (files === undefined ? order.join("\n") : files.read("order").trim()).split("\n")
      const expected = can.inOrder === false
        ? lines.filter((_, at) => at % 2 === 0).map((text) => text.slice(6))
        : "12345"
      expect(lines).toEqual([...expected].flatMap((n) => [`start ${n}`, `end ${n}`]))
    }), { maxConcurrency: 1 })

  test("runs each of many commands once, started by Effect.forEach a few at a time", () =>
    Effect.gen(function* () {
      const files = can.files ? yield* workshop : undefined
      const all = yield* startsEachOnce(
        can.quickStart === false ? 24 : 60,
        (n): Effect.Effect<unknown, unknown, Shell> =>
          // Some end at once with a fault, so that others that wait are resumed in their start.
          n % 5 === 4
            ? faultOf(sh("x", { cwd: "/no/such/directory" }))
            : run(sh(files === undefined ? "true" : `echo ${n} >> '${files.path("ran")}'`)),
      )
      if (files === undefined) return
      const ran = files.read("ran").trim().split("\n").map(Number)
      expect(ran.sort((a, b) => a - b)).toEqual(all.filter((n) => n % 5 !== 4))
    }), { maxConcurrency: 3 })

  test("does not wait for itself when one command follows the other in one stream", () =>
    Effect.gen(function* () {
      const echo = (text: string) => Shell.exec(sh(`echo ${text}`))
      const events = yield* Stream.runCollect(Stream.concat(echo("one"), echo("two")))
      expect(events.map((event) => event._tag)).toEqual([
        "ShellOutputChunk",
        "ShellOutput",
        "ShellOutputChunk",
        "ShellOutput",
      ])
    }), { maxConcurrency: 1 })

  test("releases its slot after every kind of end", () =>
    Effect.gen(function* () {
      yield* faultOf(sh("x", { cwd: "/no/such/directory" }))
      yield* faultOf(sh("sleep 20", { timeout: "50 millis" }))
      yield* faultOf(sh("sleep 20"), { signal: AbortSignal.abort() })
      yield* Shell.exec(sh("echo a; sleep 20")).pipe(Stream.take(1), Stream.runDrain)
      yield* Effect.ignore(
        Shell.exec(sh("echo a; sleep 20")).pipe(Stream.mapEffect(() => Effect.fail("no")), Stream.runDrain),
      )
      const fiber = yield* Effect.forkChild(run(sh("sleep 20")))
      yield* pause(30)
      yield* Fiber.interrupt(fiber)
      expect(textOf((yield* run(sh("echo free"))).chunks)).toBe("free\n")
    }), { maxConcurrency: 1, grace: "200 millis" })

  test(
    "releases its slot when the process has ended, before its output has been read",
    () =>
      Effect.gen(function* () {
        const inner = (n: number) => Effect.map(run(sh(`echo inner ${n}`)), ({ chunks }) => textOf(chunks))
        const stream = (n: number) =>
          Shell.exec(sh(`echo outer ${n}`)).pipe(
            Stream.filter((event) => event._tag === "ShellOutputChunk"),
            Stream.mapEffect(() => inner(n)),
            Stream.runCollect,
          )
        const said = yield* Effect.forEach([1, 2, 3, 4], stream, { concurrency: "unbounded" })
        expect(said).toEqual([["inner 1\n"], ["inner 2\n"], ["inner 3\n"], ["inner 4\n"]])
      }),
    { maxConcurrency: 2 },
  )

  if (!can.files) return

  /** Occupies the only place until the gate is opened. */
  const occupied = Effect.gen(function* () {
    const { path, write } = yield* workshop
    const holder = yield* Effect.forkChild(run(sh(`echo in > '${path("in")}'; ${awaitFile(path("gate"))}`)))
    // It is first in the queue before the others arrive.
    yield* pause(20)
    return { holder, path, open: () => void write("gate", "") }
  })

  test("faults with Throttled when the queue is full", () =>
    Effect.gen(function* () {
      const { holder, open } = yield* occupied
      const waiting = yield* Effect.forkChild(run(sh("echo waited")))
      yield* pause(20)
      const fault = yield* faultOf(sh("echo never"))
      expect(fault.reason).toEqual({ _tag: "Throttled", maxConcurrency: 1, maxQueued: 1 })
      expect(fault.message).toMatch(/^exec: .*maxConcurrency.*maxQueued.* \(THROTTLED\)$/)
      open()
      yield* Fiber.join(holder)
      expect(textOf((yield* Fiber.join(waiting)).chunks)).toBe("waited\n")
      expect((yield* run(sh("exit 3"))).output.exitCode).toBe(3)
    }), { maxConcurrency: 1, maxQueued: 1 })

  test(
    "removes a waiting command at a timeout, an abort or an interruption, and admits the next one",
    () =>
      Effect.gen(function* () {
        const { holder, open } = yield* occupied
        const controller = new AbortController()
        const late = yield* Effect.forkChild(faultOf(sh("echo late", { timeout: "60 millis" })))
        const aborted = yield* Effect.forkChild(faultOf(sh("echo aborted"), { signal: controller.signal }))
        const interrupted = yield* Effect.forkChild(run(sh("echo interrupted")))
        const patient = yield* Effect.forkChild(run(sh("echo patient", { timeout: "19 seconds" })))
        yield* pause(20)
        controller.abort()
        yield* Fiber.interrupt(interrupted)
        const lateFault = yield* Fiber.join(late)
        expect(lateFault.reason).toEqual({ _tag: "Timeout", kind: "queue", afterMillis: 60 })
        expect(lateFault.message).toContain("(maxConcurrency)")
        expect((yield* Fiber.join(aborted)).reason).toEqual({ _tag: "Cancelled", by: "signal" })
        open()
        yield* Fiber.join(holder)
        expect(textOf((yield* Fiber.join(patient)).chunks)).toBe("patient\n")
      }),
    { maxConcurrency: 1, maxQueued: 4 },
  )
}
