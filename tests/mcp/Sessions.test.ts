import { expect, it } from "@effect/vitest"
import { Sessions } from "../../src/mcp/Sessions.ts"

const [one, other] = [{ name: "one" }, { name: "other" }]

const make = (max = 2) => {
  const ended: Array<string> = []
  const clock = { now: 0 }
  const sessions = new Sessions({ max, sessionIdleMillis: 1_000, now: () => clock.now, end: (id) => ended.push(id) })
  return { clock, ended, sessions }
}

it("ends the longest idle one at the limit", () => {
  const { ended, sessions } = make()
  sessions.begin("a", one)
  sessions.begin("b", one)
  sessions.use("a", one)?.()
  sessions.begin("c", one)
  expect(ended).toEqual(["b"])
  expect(sessions.size).toBe(2)
})

it("ends none in use: if all are, the new one is refused", () => {
  const { ended, sessions } = make()
  sessions.begin("a", one)
  sessions.begin("b", one)
  const done = sessions.use("a", one)
  sessions.use("b", one)
  expect(sessions.begin("c", one)).toBe(false)
  expect(ended).toEqual(["c"])
  expect(sessions.size).toBe(2)
  done?.()
  expect(sessions.begin("d", one)).toBe(true)
  expect(ended).toEqual(["c", "a"])
})

it("ends sessions that are idle too long, counted from their last use", () => {
  const { clock, ended, sessions } = make(3)
  sessions.begin("a", one)
  sessions.begin("b", one)
  const done = sessions.use("a", one)
  clock.now = 1_500
  expect(sessions.use("b", one)).toBeUndefined()
  expect(ended).toEqual(["b"])
  done?.()
  clock.now = 2_400
  expect(sessions.use("a", one)).toBeDefined()
})

it("accepts a session only from its owner", () => {
  const { sessions } = make()
  sessions.begin("a", one)
  expect(sessions.use("a", other)).toBeUndefined()
  expect(sessions.use("z", one)).toBeUndefined()
  expect(sessions.use("a", one)).toBeDefined()
  sessions.forget("a")
  expect(sessions.use("a", one)).toBeUndefined()
})

it("prevents an owner from crowding out the sessions of others", () => {
  const { ended, sessions } = make(3)
  sessions.begin("theirs", other)
  sessions.begin("a", one)
  sessions.begin("b", one)
  sessions.use("a", one)?.()
  for (const id of ["c", "d", "e"]) expect(sessions.begin(id, one)).toBe(true)
  expect(ended).toEqual(["b", "a", "c"])
  expect(sessions.use("theirs", other)).toBeDefined()
})
