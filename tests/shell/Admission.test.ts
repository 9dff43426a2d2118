import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { ShellExec } from "@sluice/shell"
import { atMost } from "../support/atMost.ts"
import { Admission } from "../../src/shell/Admission.ts"
import { admit } from "../../src/shell/admitCommand.ts"
import { pause } from "../support/eventually.ts"
import { random } from "../support/random.ts"

const exec = ShellExec.make("fake")

const enter = (admission: Admission, timeoutMillis = Infinity, signal?: AbortSignal) =>
  Effect.flatMap(Effect.context<never>(), (context) => admit(admission, exec, timeoutMillis, signal, context))

/** Waiting commands continue in a later turn. */
const laterTurn = Effect.promise(() => Promise.resolve())

it.effect("lets in as many as may run, and the others in order as places come free", () =>
  Effect.gen(function* () {
    const admission = new Admission({ concurrencyLimit: 2, queueLimit: 10 })
    const order: Array<number> = []
    const fibers = yield* Effect.forEach([0, 1, 2, 3, 4], (n) =>
      Effect.forkChild(Effect.map(enter(admission), () => order.push(n)), { startImmediately: true }))
    expect([order, admission.running, admission.queued]).toEqual([[0, 1], 2, 3])
    admission.release()
    yield* laterTurn
    expect([order, admission.running, admission.queued]).toEqual([[0, 1, 2], 2, 2])
    admission.release()
    admission.release()
    yield* laterTurn
    expect([order, admission.running, admission.queued]).toEqual([[0, 1, 2, 3, 4], 2, 0])
    admission.release()
    admission.release()
    expect(admission.running).toBe(0)
    yield* Fiber.joinAll(fibers)
  }))

it.effect("admits waiting commands before later ones", () =>
  Effect.gen(function* () {
    const admission = new Admission({ concurrencyLimit: 1, queueLimit: 10 })
    const order: Array<string> = []
    yield* enter(admission)
    const waiting = yield* Effect.forkChild(
      Effect.map(enter(admission), () => order.push("waited")),
      { startImmediately: true },
    )
    admission.release()
    expect(admission.tryAcquire()).toBe(false)
    yield* Fiber.join(waiting)
    expect(order).toEqual(["waited"])
  }))

it.effect("refuses a command when the queue is full, or when there is no queue and no free slot", () =>
  Effect.gen(function* () {
    for (const queueLimit of [0, 1]) {
      const admission = new Admission({ concurrencyLimit: 1, queueLimit })
      yield* enter(admission)
      if (queueLimit === 1) yield* Effect.forkChild(enter(admission), { startImmediately: true })
      const fault = yield* Effect.flip(enter(admission))
      expect(fault.reason).toEqual({ _tag: "Throttled", concurrencyLimit: 1, queueLimit })
      expect([admission.running, admission.queued]).toEqual([1, queueLimit])
    }
  }))

it.effect("admits the next command when a waiting one is cancelled", () =>
  Effect.gen(function* () {
    const admission = new Admission({ concurrencyLimit: 1, queueLimit: 10 })
    yield* enter(admission)
    const first = yield* Effect.forkChild(enter(admission), { startImmediately: true })
    const second = yield* Effect.forkChild(enter(admission), { startImmediately: true })
    yield* Fiber.interrupt(first)
    expect(admission.queued).toBe(1)
    admission.release()
    yield* Fiber.join(second)
    expect([admission.running, admission.queued]).toEqual([1, 0])
  }))

it.live("releases every slot at any cancellation: by signal, by timeout, by interruption", () =>
  Effect.gen(function* () {
    const { int, pick } = random(7)
    const admission = new Admission({ concurrencyLimit: 3, queueLimit: 1_000 })
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
          admission.release()
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

it.live("takes its turn back when giving up and being let in come together", () =>
  Effect.gen(function* () {
    for (const giveUp of ["signal first", "place first", "interrupt first", "interrupt last"]) {
      const admission = new Admission({ concurrencyLimit: 1, queueLimit: 10 })
      const controller = new AbortController()
      yield* enter(admission)
      const visit = Effect.uninterruptibleMask((restore) =>
        Effect.tap(restore(enter(admission, 60_000, controller.signal)), () => Effect.sync(() => admission.release()))
      )
      const fiber = yield* Effect.forkChild(Effect.exit(visit), { startImmediately: true })
      if (giveUp === "signal first") controller.abort()
      if (giveUp === "interrupt first") fiber.interruptUnsafe()
      admission.release()
      if (giveUp === "place first") controller.abort()
      if (giveUp === "interrupt last") fiber.interruptUnsafe()
      yield* Fiber.await(fiber)
      expect([giveUp, admission.running, admission.queued]).toEqual([giveUp, 0, 0])
    }
  }))
