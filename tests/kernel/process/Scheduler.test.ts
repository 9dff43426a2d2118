import { expect, it } from "@effect/vitest"
import { vi } from "vitest"
import { Scheduler } from "../../../src/kernel/process/Scheduler.ts"

const spin = (milliseconds: number): void => {
  for (const start = performance.now(); performance.now() - start < milliseconds;);
}

const untilDue = (scheduler: Scheduler): void => {
  scheduler.begin()
  spin(6)
  for (let calls = 0; calls < 10_000; calls++) if (scheduler.due()) return
  throw new Error("never due")
}

it("is due once a slice is used up, and stays so until a macrotask began", async () => {
  const scheduler = new Scheduler()
  untilDue(scheduler)
  expect(scheduler.due()).toBe(true)
  await Promise.resolve()
  expect(scheduler.due()).toBe(true)
  await new Promise<void>((resolve) => scheduler.later(resolve))
  expect(scheduler.due()).toBe(false)
})

it("calls back in a microtask while there is time, and after the host's timers when there is none", async () => {
  const order: Array<string> = []
  const scheduler = new Scheduler()
  scheduler.begin()
  scheduler.soon(() => order.push("soon"))
  await Promise.resolve()
  expect(order).toEqual(["soon"])
  untilDue(scheduler)
  const late = new Promise<void>((resolve) =>
    scheduler.soon(() => {
      order.push("late")
      resolve()
    })
  )
  for (let count = 0; count < 10; count++) await Promise.resolve()
  expect(order).toEqual(["soon"])
  await late
  expect(order).toEqual(["soon", "late"])
})

it("runs queued callbacks in order, in as many macrotasks as they need", async () => {
  const scheduler = new Scheduler()
  const order: Array<number> = []
  let timers = 0
  const timer = setInterval(() => timers++, 1)
  await Promise.all(Array.from({ length: 12 }, (_, index) =>
    new Promise<void>((resolve) =>
      scheduler.later(() => {
        order.push(index)
        spin(3)
        resolve()
      })
    )))
  clearInterval(timer)
  expect(order).toEqual(Array.from({ length: 12 }, (_, index) => index))
  // 36 ms of work: without turns in between no timer would have fired.
  expect(timers).toBeGreaterThan(0)
})

it("charges CPU time to the process that asks", () => {
  const scheduler = new Scheduler()
  const account = { spent: 0 }
  scheduler.begin()
  spin(5)
  scheduler.charge(account)
  expect(account.spent).toBeGreaterThanOrEqual(5)
})

it("counts calls where the clock stands still while one computes, as at the edge", async () => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(1_000)
  try {
    const scheduler = new Scheduler()
    scheduler.begin()
    let calls = 0
    while (!scheduler.due() && calls < 100_000) calls++
    expect(calls).toBeGreaterThan(1_000)
    expect(calls).toBeLessThan(10_000)
    expect(scheduler.due()).toBe(true)
    await new Promise<void>((resolve) => scheduler.later(resolve))
    expect(scheduler.due()).toBe(false)
  } finally {
    clock.mockRestore()
  }
})
