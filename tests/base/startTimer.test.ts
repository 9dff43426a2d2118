import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { startTimer } from "../../src/base/startTimer.ts"

const day = 86_400_000

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }))
afterEach(() => void vi.useRealTimers())

it.each([0, 1, 1_000, 24 * day, 30 * day, 80 * day])("calls back once after %d ms", (millis) => {
  let calls = 0
  startTimer(millis, () => void calls++)
  if (millis > 0) vi.advanceTimersByTime(millis - 1)
  expect(calls).toBe(0)
  vi.advanceTimersByTime(1)
  expect(calls).toBe(1)
  vi.advanceTimersByTime(100 * day)
  expect(calls).toBe(1)
})

it("never calls back after Infinity, nor once it is cancelled", () => {
  let calls = 0
  const cancel = startTimer(Infinity, () => void calls++)
  vi.advanceTimersByTime(100 * day)
  expect([calls, vi.getTimerCount()]).toEqual([0, 0])
  cancel()
  const cancelLate = startTimer(60 * day, () => void calls++)
  vi.advanceTimersByTime(40 * day)
  cancelLate()
  vi.advanceTimersByTime(40 * day)
  expect([calls, vi.getTimerCount()]).toEqual([0, 0])
})
