import { expect, it } from "@effect/vitest"
import { BoundedStore } from "../../src/fetch/BoundedStore.ts"

it("keeps values up to a total size, and drops the least recently used", () => {
  const store = new BoundedStore<string>(6, ({ length }) => length)
  const has = () => ["a", "b", "c"].filter((key) => store.get(key) !== undefined).join("")
  store.set("a", "11")
  store.set("b", "22")
  store.set("c", "33")
  expect(has()).toBe("abc")
  store.set("a", "11")
  store.set("c", "333")
  expect(has()).toBe("ac")
  store.delete("c")
  store.delete("c")
  store.set("b", "4444")
  expect([has(), store.get("b")]).toEqual(["ab", "4444"])
  store.set("c", "1234567")
  expect(has()).toBe("")
})

it("counts a read as a use", () => {
  const store = new BoundedStore<string>(4, ({ length }) => length)
  store.set("a", "11")
  store.set("b", "22")
  store.get("a")
  store.set("c", "33")
  expect([store.get("a"), store.get("b"), store.get("c")]).toEqual(["11", undefined, "33"])
})
