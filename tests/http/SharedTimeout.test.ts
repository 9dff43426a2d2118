import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { SharedTimeout } from "../../src/http/SharedTimeout.ts"

describe("a shared timeout", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }))
  afterEach(() => void vi.useRealTimers())

  const pending = (): Promise<never> => new Promise(() => {})

  it("settles as the work does", async () => {
    const timeout = new SharedTimeout(100)
    expect(await timeout.race(Promise.resolve(5))).toBe(5)
    await expect(timeout.race(Promise.reject(new Error("broken")))).rejects.toThrow("broken")
    expect(await new SharedTimeout(Infinity).race(Promise.resolve(6))).toBe(6)
  })

  it("gives each operation its own time, with one timer", async () => {
    const timeout = new SharedTimeout(100)
    const seen: Array<string> = []
    const wait = (name: string): void => void timeout.race(pending()).then((end) => seen.push(`${name} ${end}`))
    wait("a")
    await vi.advanceTimersByTimeAsync(60)
    wait("b")
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(39)
    expect(seen).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(seen).toEqual(["a late"])
    await vi.advanceTimersByTimeAsync(59)
    expect(seen).toEqual(["a late"])
    await vi.advanceTimersByTimeAsync(1)
    expect(seen).toEqual(["a late", "b late"])
    expect(vi.getTimerCount()).toBe(0)
  })

  it("starts again after all have ended, and ends no later one early", async () => {
    const timeout = new SharedTimeout(100)
    await timeout.race(Promise.resolve())
    await vi.advanceTimersByTimeAsync(50)
    const second = timeout.race(pending())
    let end: string | undefined
    void second.then((value) => end = value)
    await vi.advanceTimersByTimeAsync(99)
    expect(end).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(end).toBe("late")
    expect(vi.getTimerCount()).toBe(0)
  })

  it("waits longer than a timer can", async () => {
    const timeout = new SharedTimeout(3 * 2 ** 31)
    let end: string | undefined
    void timeout.race(pending()).then((value) => end = value)
    await vi.advanceTimersByTimeAsync(3 * 2 ** 31 - 1)
    expect(end).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(end).toBe("late")
  })
})
