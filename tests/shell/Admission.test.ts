import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import { cmd, ShellExec } from "@sluice/shell"
import { atMost } from "../support/atMost.ts"
import { Admission } from "../../src/shell/Admission.ts"
import { admit } from "../../src/shell/admit.ts"
import { pause } from "../support/eventually.ts"
import { random } from "../support/random.ts"

const exec = ShellExec.make("fake")

const enter = (admission: Admission, timeoutMillis = Infinity, signal?: AbortSignal) =>
  Effect.flatMap(Effect.context<never>(), (context) => admit(admission, exec, timeoutMillis, signal, context))

/** Waiting commands continue in a later turn. */
const laterTurn = Effect.promise(() => Promise.resolve())

it.effect("admits commands up to the limit, and the others in order as slots free up", () =>
  Effect.gen(function* () {
    const admission = new Admission({ maxConcurrency: 2, maxQueued: 10 })
    const order: Array<number> = []
    const fibers = yield* Effect.forEach([0, 1, 2, 3, 4], (n) =>
      Effect.forkChild(Effect.map(enter(admission), () => order.push(n)), { startImmediately: true }))
    expect([order, admission.running, admission.queued]).toEqual([[0, 1], 2, 3])
    admission.release(exec)
    yield* laterTurn
    expect([order, admission.running, admission.queued]).toEqual([[0, 1, 2], 2, 2])
    admission.release(exec)
    admission.release(exec)
    yield* laterTurn
    expect([order, admission.running, admission.queued]).toEqual([[0, 1, 2, 3, 4], 2, 0])
    admission.release(exec)
    admission.release(exec)
    expect(admission.running).toBe(0)
    yield* Fiber.joinAll(fibers)
  }))

it.effect("admits waiting commands before later ones", () =>
  Effect.gen(function* () {
    const admission = new Admission({ maxConcurrency: 1, maxQueued: 10 })
    const order: Array<string> = []
    yield* enter(admission)
    const waiting = yield* Effect.forkChild(
      Effect.map(enter(admission), () => order.push("waited")),
      { startImmediately: true },
    )
    admission.release(exec)
    expect(admission.tryAcquire(exec)).toBe(false)
    yield* Fiber.join(waiting)
    expect(order).toEqual(["waited"])
  }))

it.effect("refuses a command when the queue is full, or when there is no queue and no free slot", () =>
  Effect.gen(function* () {
    for (const maxQueued of [0, 1]) {
      const admission = new Admission({ maxConcurrency: 1, maxQueued })
      yield* enter(admission)
      if (maxQueued === 1) yield* Effect.forkChild(enter(admission), { startImmediately: true })
      const fault = yield* Effect.flip(enter(admission))
      expect(fault.reason).toEqual({ _tag: "Throttled", maxConcurrency: 1, maxQueued })
      expect([admission.running, admission.queued]).toEqual([1, maxQueued])
    }
  }))

it.effect("admits the next command when a waiting one is cancelled", () =>
  Effect.gen(function* () {
    const admission = new Admission({ maxConcurrency: 1, maxQueued: 10 })
    yield* enter(admission)
    const first = yield* Effect.forkChild(enter(admission), { startImmediately: true })
    const second = yield* Effect.forkChild(enter(admission), { startImmediately: true })
    yield* Fiber.interrupt(first)
    expect(admission.queued).toBe(1)
    admission.release(exec)
    yield* Fiber.join(second)
    expect([admission.running, admission.queued]).toEqual([1, 0])
  }))

it.live("releases every slot at any cancellation: by signal, by timeout, by interruption", () =>
  Effect.gen(function* () {
    const { int, pick } = random(7)
    const admission = new Admission({ maxConcurrency: 3, maxQueued: 1_000 })
    let most = 0
    let entered = 0
    const visitor = Effect.gen(function* () {
      const way = pick(["stays", "signal", "timeout", "interrupt", "both"])
      const controller = new AbortController()
      const signal = way === "signal" || way === "both" ? controller.signal : undefined
      const timeoutMillis = way === "timeout" || way === "both" ? int(0, 4) : Infinity
      // As a run does it: it cannot be interrupted between its turn and its place.
      const visit = Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          yield* restore(enter(admission, timeoutMillis, signal))
          entered++
          most = Math.max(most, admission.running)
          yield* pause(int(0, 1))
          admission.release(exec)
        })
      )
      const fiber = yield* Effect.forkChild(Effect.exit(visit), { startImmediately: true })
      yield* pause(int(0, 4))
      if (signal !== undefined) controller.abort()
      if (way === "interrupt") yield* Fiber.interrupt(fiber)
      yield* Fiber.await(fiber)
    })
    yield* atMost(60, Array.from({ length: 300 }), () => visitor)
    expect([admission.running, admission.queued]).toEqual([0, 0])
    expect(most).toBe(3)
    expect(entered).toBeGreaterThan(20)
  }))

it.live("returns its slot if cancellation and admission coincide", () =>
  Effect.gen(function* () {
    for (const giveUp of ["signal first", "place first", "interrupt first", "interrupt last"]) {
      const admission = new Admission({ maxConcurrency: 1, maxQueued: 10 })
      const controller = new AbortController()
      yield* enter(admission)
      const visit = Effect.uninterruptibleMask((restore) =>
        Effect.tap(
          restore(enter(admission, 60_000, controller.signal)),
          () => Effect.sync(() => admission.release(exec)),
        )
      )
      const fiber = yield* Effect.forkChild(Effect.exit(visit), { startImmediately: true })
      if (giveUp === "signal first") controller.abort()
      if (giveUp === "interrupt first") fiber.interruptUnsafe()
      admission.release(exec)
      if (giveUp === "place first") controller.abort()
      if (giveUp === "interrupt last") fiber.interruptUnsafe()
      yield* Fiber.await(fiber)
      expect([giveUp, admission.running, admission.queued]).toEqual([giveUp, 0, 0])
    }
  }))

/** A full leaf of the given commands, and what is logged. */
const full = (commands: ReadonlyArray<ShellExec>) => {
  const admission = new Admission({ maxConcurrency: commands.length, maxQueued: 1 })
  for (const command of commands) admission.tryAcquire(command)
  const logged: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void logged.push(`${logLevel} ${String(message)}`))
  return { admission, logged, layer: Logger.layer([logger, Logger.tracerLogger]) }
}

it.effect("warns once, after a second in the queue, of the commands that run, without their secrets", () => {
  const servers = [1, 2, 3, 4, 5].map((n) => cmd`serve ${n} --key ${Redacted.make("k3y")} ${"x".repeat(1_000)}`)
  const { admission, layer, logged } = full(servers)
  return Effect.gen(function* () {
    const waiting = yield* Effect.forkChild(enter(admission), { startImmediately: true })
    yield* TestClock.adjust(999)
    expect(logged).toEqual([])
    yield* TestClock.adjust(1)
    const [line = ""] = logged
    expect(line).toContain(
      `Warn exec: fake (${exec.commandId}) waits: at most 5 commands run at once (maxConcurrency)`,
    )
    expect(line).toMatch(/, first serve 1 --key <redacted> x+…, serve 2 --key <redacted> x+…, serve 3 .* and 2 more; /)
    expect(line).toMatch(/; end one, or raise it, as in LocalShell\.layerWith\(\{ maxConcurrency: 10 \}\)$/)
    expect(line).not.toContain("k3y")
    expect(line.length).toBeLessThan(400)
    yield* TestClock.adjust("1 hour")
    expect(logged).toHaveLength(1)
    admission.release(servers[2] ?? exec)
    yield* Fiber.join(waiting)
    expect(admission.runningCommands.map(({ command }) => command).join()).toBe("serve,serve,serve,serve,fake")
  }).pipe(Effect.provide(layer))
})

it.effect("does not warn of a queue that moves, until it stands still for a second", () => {
  const { admission, layer, logged } = full([exec, exec])
  return Effect.gen(function* () {
    const waiting = yield* Effect.forkChild(enter(admission), { startImmediately: true })
    const others = new Admission({ maxConcurrency: 1, maxQueued: 20 })
    yield* enter(others)
    const batch = yield* Effect.forEach(
      [1, 2, 3, 4, 5],
      () => Effect.forkChild(enter(others), { startImmediately: true }),
    )
    yield* TestClock.adjust(500)
    for (const _ of batch.slice(1)) {
      others.release(exec)
      yield* TestClock.adjust(999)
    }
    expect(logged).toHaveLength(1)
    yield* TestClock.adjust(2_000)
    expect(logged).toHaveLength(2)
    others.release(exec)
    admission.release(exec)
    yield* Fiber.joinAll([waiting, ...batch])
  }).pipe(Effect.provide(layer))
})

it.effect("adds the warning to the span of the caller", () => {
  const { admission, layer } = full([exec])
  const events: Array<string> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      span.event = (name) => void events.push(name)
      return span
    },
  })
  return Effect.gen(function* () {
    const waiting = yield* Effect.forkChild(enter(admission), { startImmediately: true })
    yield* TestClock.adjust("1 second")
    expect(events).toEqual([expect.stringContaining("(maxConcurrency)")])
    yield* Fiber.interrupt(waiting)
  }).pipe(Effect.withSpan("caller"), Effect.provide(layer), Effect.provideService(Tracer.Tracer, tracer))
})

it.effect("does not warn of a command that starts, is interrupted, cancelled, late or refused before that", () => {
  const { admission, layer, logged } = full([exec])
  return Effect.gen(function* () {
    const controller = new AbortController()
    const wait = (...limits: readonly [timeoutMillis?: number, signal?: AbortSignal]) =>
      Effect.forkChild(Effect.exit(enter(admission, ...limits)), { startImmediately: true })
    const interrupted = yield* wait()
    const refused = yield* wait()
    yield* Fiber.join(refused)
    yield* TestClock.adjust(999)
    yield* Fiber.interrupt(interrupted)
    const cancelled = yield* wait(Infinity, controller.signal)
    yield* TestClock.adjust(999)
    controller.abort()
    yield* Fiber.join(cancelled)
    const late = yield* wait(999)
    yield* TestClock.adjust(999)
    yield* Fiber.join(late)
    const started = yield* wait()
    yield* TestClock.adjust(999)
    admission.release(exec)
    yield* Fiber.join(started)
    yield* TestClock.adjust("1 hour")
    expect([logged, admission.running, admission.queued]).toEqual([[], 1, 0])
  }).pipe(Effect.provide(layer))
})
