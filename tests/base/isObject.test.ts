import { expect, it } from "vitest"
import { isObject, isRecord } from "../../src/base/isObject.ts"

it("tells objects and records from other values", () => {
  for (const value of [{}, Object.create(null), new Map()]) {
    expect([isObject(value), isRecord(value)]).toEqual([true, true])
  }
  expect([isObject([]), isRecord([])]).toEqual([true, false])
  for (const value of [null, undefined, "a", 1, () => {}]) {
    expect([isObject(value), isRecord(value)]).toEqual([false, false])
  }
})
