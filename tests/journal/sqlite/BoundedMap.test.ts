import { expect, it } from "vitest"
import { BoundedMap } from "../../../src/journal/stores/sqlite/BoundedMap.ts"

const known = (map: BoundedMap<number, string>, upTo: number): Array<number> =>
  Array.from({ length: upTo }, (_, key) => key).filter((key) => map.get(key) !== undefined)

it("remembers the last so many, and at most twice as many", () => {
  const map = new BoundedMap<number, string>(10)
  for (let key = 0; key < 1_000; key++) {
    map.set(key, String(key))
    // One is set and one is asked for each time: ten uses ago is five rounds ago.
    expect(map.get(Math.max(0, key - 4))).toBe(String(Math.max(0, key - 4)))
  }
  expect(known(map, 1_000).length).toBeLessThanOrEqual(20)
})

it("keeps what is used, whatever comes", () => {
  const map = new BoundedMap<number, string>(10)
  map.set(0, "used")
  for (let key = 1; key < 1_000; key++) {
    map.set(key, String(key))
    if (key % 5 === 0) expect(map.get(0)).toBe("used")
  }
})

it("forgets everything when it is told to", () => {
  const map = new BoundedMap<number, string>(10)
  for (let key = 0; key < 15; key++) map.set(key, String(key))
  map.clear()
  expect(known(map, 15)).toEqual([])
})
