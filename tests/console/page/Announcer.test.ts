import { expect, it } from "@effect/vitest"
import { afterEach, beforeEach, vi } from "vitest"
import { Announcer } from "../../../src/console/page/Announcer.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
})
afterEach(() => {
  vi.useRealTimers()
})

const listen = (isOn = true): { readonly announcer: Announcer; readonly said: ReadonlyArray<string> } => {
  const said: Array<string> = []
  return { announcer: new Announcer((text) => said.push(text), isOn), said }
}

it("collects events, and announces them at most once in five seconds", () => {
  const { announcer, said } = listen()
  announcer.began("1", "make")
  announcer.began("2", "make  test")
  expect(said).toEqual([])
  vi.advanceTimersByTime(1_000)
  expect(said).toEqual(["2 commands started. make; make test."])
  announcer.ended("1", "make", "succeeded")
  vi.advanceTimersByTime(4_999)
  expect(said).toHaveLength(1)
  announcer.ended("2", "make test", "exited with 2")
  vi.advanceTimersByTime(1)
  expect(said[1]).toBe("2 commands ended. make: succeeded; make test: exited with 2.")
  vi.advanceTimersByTime(60_000)
  expect(said).toHaveLength(2)
})

it("announces only the end of a command that started and ended in between", () => {
  const { announcer, said } = listen()
  announcer.began("1", "true")
  announcer.ended("1", "true", "succeeded")
  vi.advanceTimersByTime(1_000)
  expect(said).toEqual(["1 command ended. true: succeeded."])
})

it("names three of many, and counts them all", () => {
  const { announcer, said } = listen()
  for (let id = 0; id < 2_000; id++) announcer.began(String(id), `job ${id}`)
  vi.advanceTimersByTime(1_000)
  expect(said).toEqual(["2,000 commands started. job 0; job 1; job 2; and 1,997 others."])
})

it("announces nothing while it is off, and does not catch up later", () => {
  const { announcer, said } = listen()
  announcer.began("1", "one")
  announcer.turn(false)
  announcer.began("2", "two")
  vi.advanceTimersByTime(10_000)
  announcer.turn(true)
  announcer.began("3", "three")
  vi.advanceTimersByTime(10_000)
  expect(said).toEqual(["1 command started. three."])
})
