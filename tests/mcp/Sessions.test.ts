import { expect, it } from "@effect/vitest"
import { Sessions } from "../../src/mcp/Sessions.ts"

const make = (max = 2) => {
  const ended: Array<string> = []
  const clock = { now: 0 }
  const sessions = new Sessions({ max, idleMillis: 1_000, now: () => clock.now, end: (id) => ended.push(id) })
  return { clock, ended, sessions }
}

it("ends the one that was idle longest when there are too many", () => {
  const { ended, sessions } = make()
  sessions.begin("a", 0)
  sessions.begin("b", 0)
  sessions.use("a", 0)?.()
  sessions.begin("c", 0)
  expect(ended).toEqual(["b"])
  expect(sessions.size).toBe(2)
})

it("ends none that is in use: when all are, the new one cannot stay", () => {
  const { ended, sessions } = make()
  sessions.begin("a", 0)
  sessions.begin("b", 0)
  const done = sessions.use("a", 0)
  sessions.use("b", 0)
  expect(sessions.begin("c", 0)).toBe(false)
  expect(ended).toEqual(["c"])
  expect(sessions.size).toBe(2)
  done?.()
  expect(sessions.begin("d", 0)).toBe(true)
  expect(ended).toEqual(["c", "a"])
})

it("ends what is idle too long, from its last use on", () => {
  const { clock, ended, sessions } = make(3)
  sessions.begin("a", 0)
  sessions.begin("b", 0)
  const done = sessions.use("a", 0)
  clock.now = 1_500
  expect(sessions.use("b", 0)).toBeUndefined()
  expect(ended).toEqual(["b"])
  done?.()
  clock.now = 2_400
  expect(sessions.use("a", 0)).toBeDefined()
})

it("knows a session only for who began it", () => {
  const { sessions } = make()
  sessions.begin("a", 0)
  expect(sessions.use("a", 1)).toBeUndefined()
  expect(sessions.use("z", 0)).toBeUndefined()
  expect(sessions.use("a", 0)).toBeDefined()
  sessions.forget("a")
  expect(sessions.use("a", 0)).toBeUndefined()
})
