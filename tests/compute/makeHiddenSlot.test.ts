import { expect, it } from "@effect/vitest"
import { makeHiddenSlot } from "../../src/compute/makeHiddenSlot.ts"

it("a hidden slot gives an object a value that nothing else shows; a copy and a proxy have none", () => {
  const [slot, other] = [makeHiddenSlot<number>(), makeHiddenSlot<number>()]
  const holder = { name: "a" }
  expect(slot.get(holder)).toBeUndefined()
  slot.set(holder, 1)
  expect([slot.get(holder), other.get(holder)]).toEqual([1, undefined])
  expect(Reflect.ownKeys(holder)).toEqual(["name"])
  const others = [{ ...holder }, structuredClone(holder), new Proxy(holder, {})]
  for (const each of others) expect(slot.get(each)).toBeUndefined()
})
