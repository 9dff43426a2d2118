import { expect, it } from "@effect/vitest"
import { Loss } from "../../../src/leaves/ssh/Loss.ts"

it("a loss is reported once to each listener, also a late one, and not to a removed one", () => {
  const { isLost, lose, onLost } = new Loss()
  const told: Array<string> = []
  onLost(() => told.push("first"))
  onLost(() => told.push("left"))()
  expect(isLost()).toBe(false)
  lose()
  lose()
  onLost(() => told.push("late"))
  expect([isLost(), told]).toEqual([true, ["first", "late"]])
})
