import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { expect, it } from "vitest"
import { aborted, interruptOnAbort, onAbort } from "../../src/base/abort.ts"

/** A signal that counts its listeners. */
const countedSignal = () => {
  const controller = new AbortController()
  const { signal } = controller
  const listeners = new Set<unknown>()
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (type: string, listener: EventListenerOrEventListenerObject, options?: object) => {
    listeners.add(listener)
    add(type, listener, options)
  }
  signal.removeEventListener = (type: string, listener: EventListenerOrEventListenerObject) => {
    listeners.delete(listener)
    remove(type, listener)
  }
  return { controller, signal, listeners }
}

it("calls the listener once, at once for a signal that has aborted", () => {
  const { controller, signal } = countedSignal()
  let calls = 0
  onAbort(signal, () => calls++)
  controller.abort()
  controller.abort()
  expect(calls).toBe(1)
  onAbort(signal, () => calls++)
  expect(calls).toBe(2)
})

it("does not call a removed listener, and keeps none", () => {
  const { controller, listeners, signal } = countedSignal()
  let calls = 0
  const remove = onAbort(signal, () => calls++)
  remove()
  controller.abort()
  expect([calls, listeners.size]).toEqual([0, 0])
})

it("waits for an abort, and removes its listener when it is interrupted", async () => {
  const { controller, listeners, signal } = countedSignal()
  const waiting = Effect.runFork(aborted(signal))
  await Effect.runPromise(Fiber.interrupt(waiting))
  expect(listeners.size).toBe(0)
  const other = Effect.runFork(aborted(signal))
  controller.abort()
  expect(Exit.isSuccess(await Effect.runPromise(Fiber.await(other)))).toBe(true)
})

it("interrupts a fiber, and removes its listener when the fiber ends by itself", async () => {
  const { controller, listeners, signal } = countedSignal()
  const endless = Effect.runFork(Effect.never)
  const short = Effect.runFork(Effect.void)
  interruptOnAbort(endless, signal)
  interruptOnAbort(short, signal)
  await Effect.runPromise(Fiber.await(short))
  expect(listeners.size).toBe(1)
  controller.abort()
  expect(Exit.hasInterrupts(await Effect.runPromise(Fiber.await(endless)))).toBe(true)
})
