import { expect, it } from "vitest"
import { distance, nearest, similar } from "../../src/base/nearest.ts"

it("counts what has to be put in, taken out or replaced", () => {
  for (
    const [a, b, count] of [["", "", 0], ["a", "", 1], ["", "abc", 3], ["kitten", "sitting", 3], [
      "git push",
      "git pull",
      2,
    ], [
      "same",
      "same",
      0,
    ]] as const
  ) {
    expect(distance(a, b)).toBe(count)
    expect(distance(b, a)).toBe(count)
  }
})

it("finds the one that is most like it, the first of equals, and none in nothing", () => {
  expect(nearest("git statsu", ["git push", "git status", "npm test"])).toBe("git status")
  expect(nearest("b", ["a", "c"])).toBe("a")
  expect(nearest("x", [])).toBeUndefined()
})

it("takes bounded time for texts and lists of any length", () => {
  const long = "x".repeat(5_000_000)
  expect(nearest(long, [`${long}y`, "short"])).toBe(`${long}y`)
  const many = Array.from({ length: 100_000 }, (_, n) => `command ${n}`)
  expect(nearest("command 99999", many)).toBe("command 999")
})

it("takes nothing for a slip that is another word", () => {
  expect(similar("prt", ["host", "port"])).toBe("port")
  expect(similar("redact", ["host", "port"])).toBeUndefined()
})
