import { expect, it } from "@effect/vitest"
import { scheduleNextTurn } from "../../src/shell/scheduleNextTurn.ts"
import { TurnGate } from "../../src/shell/TurnGate.ts"

const nextTurn = (): Promise<void> => new Promise((resolve) => void scheduleNextTurn(() => resolve()))

it("lets one caller pass in each turn, in order, and the next one at once when none waits", async () => {
  const gate = new TurnGate()
  let turn = 0
  let waits = true
  const count = (): void => {
    turn++
    if (waits) scheduleNextTurn(count)
  }
  count()
  const passed: Array<{ readonly caller: number; readonly turn: number }> = []
  await Promise.all([1, 2, 3, 4].map(async (caller) => {
    await gate.pass()
    passed.push({ caller, turn })
  }))
  waits = false
  expect(passed.map(({ caller }) => caller)).toEqual([1, 2, 3, 4])
  expect(new Set(passed.map((each) => each.turn)).size).toBe(4)
  await nextTurn()
  expect(gate.pass()).toBeUndefined()
})
