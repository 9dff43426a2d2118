import { expect, it } from "@effect/vitest"
import { type Coroutine, runCoroutine, runCoroutineSync } from "../../src/kernel/Coroutine.ts"

function* count(yields: number): Coroutine<number> {
  for (let at = 0; at < yields; at++) yield
  return yields
}

it("returns the result at once if no other process waits", () => {
  const costs: Array<number | undefined> = []
  const system = { yield: (cost?: number) => void costs.push(cost) }
  expect(runCoroutine(system, count(3))).toBe(3)
  expect(costs).toEqual([Infinity, Infinity, Infinity])
})

it("waits at each yield at which other processes run", async () => {
  let turns = 0
  const system = {
    yield: () => turns++ % 2 === 0 ? undefined : Promise.resolve(),
  }
  const result = runCoroutine(system, count(7))
  expect(result).toBeInstanceOf(Promise)
  expect(await result).toBe(7)
  expect(turns).toBe(7)
})

it("passes on errors of the computation, before and after a wait", async () => {
  function* fail(): Coroutine<void> {
    yield
    throw new Error("computation failed")
  }
  expect(() => runCoroutine({ yield: () => undefined }, fail())).toThrow("computation failed")
  await expect(runCoroutine({ yield: () => Promise.resolve() }, fail())).rejects.toThrow("computation failed")
})

it("runs small work without a yield", () => {
  expect(runCoroutineSync(count(5))).toBe(5)
})
