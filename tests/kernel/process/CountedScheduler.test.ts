import { expect, it } from "vitest"
import { CountedScheduler } from "../../../src/kernel/process/CountedScheduler.ts"

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

it("continues one process at a time, in the order in which they can go on", async () => {
  const scheduler = new CountedScheduler(0n)
  scheduler.activity()
  const order: Array<string> = []
  const program = (name: string) => {
    const gate = scheduler.gate()
    scheduler.soon(async () => {
      gate.start()
      for (const step of [1, 2]) {
        order.push(`${name}${step}`)
        // A promise of the host, such as an import, takes a while: the process keeps the turn.
        await new Promise((resolve) => setTimeout(resolve, name === "a" ? 3 : 0))
        const { promise, resolve } = Promise.withResolvers<void>()
        gate.block()
        gate.resume(resolve)
        await promise
      }
      gate.end()
    })
  }
  for (const name of ["a", "b", "c"]) program(name)
  await expect.poll(() => order.join(" ")).toBe("a1 b1 c1 a2 b2 c2")
})

it("fires timers in the order of their times, at once, and only while the host waits", async () => {
  const scheduler = new CountedScheduler(5_000_000n)
  const { after, monotonic, now } = scheduler.clock
  const fired: Array<string> = []
  after(3_600_000, () => fired.push("hour"))
  after(10, () => fired.push("first"))
  after(10, () => fired.push("second"))
  const stop = after(20, () => fired.push("stopped"))
  stop()
  await settled()
  expect(fired).toEqual([])
  const done = scheduler.activity()
  await settled()
  expect(fired).toEqual(["first", "second", "hour"])
  expect([now() / 1_000_000_000n, monotonic() / 1_000_000_000n]).toEqual([3_600n, 3_600n])
  done()
  after(1, () => fired.push("later"))
  await settled()
  expect(fired.length).toBe(3)
})

it("lets the time of the host pass while a process waits for it", async () => {
  const scheduler = new CountedScheduler(0n)
  scheduler.activity()
  const stop = scheduler.hostWait()
  let fired = false
  scheduler.clock.after(3_600_000, () => fired = true)
  await settled()
  expect(fired).toBe(false)
  stop()
  await settled()
  expect(fired).toBe(true)
})

it("counts calls as time, in steps, and ends slices by them", () => {
  const counted = new CountedScheduler(0n)
  const account = { spent: 0 }
  expect(counted.due(account, 2_000)).toBe(false)
  expect(counted.due(account)).toBe(true)
  expect(account.spent).toBe(2.001)
  expect(counted.clock.monotonic()).toBe(1_000n)
  for (let step = 0; step < 8; step++) counted.due(account, Infinity)
  expect(counted.clock.monotonic()).toBe(10_002_000n)
})
