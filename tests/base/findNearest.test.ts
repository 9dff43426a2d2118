import { expect, it } from "vitest"
import { didYouMean, editDistance, findNearest, findSimilar } from "../../src/base/findNearest.ts"

it("counts insertions, deletions and replacements", () => {
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
    expect(editDistance(a, b)).toBe(count)
    expect(editDistance(b, a)).toBe(count)
  }
})

it("finds the most similar name, the first of equals, and none in an empty list", () => {
  expect(findNearest("git statsu", ["git push", "git status", "npm test"])).toBe("git status")
  expect(findNearest("b", ["a", "c"])).toBe("a")
  expect(findNearest("x", [])).toBeUndefined()
})

it("takes bounded time for texts and lists of any length", () => {
  const long = "x".repeat(5_000_000)
  expect(findNearest(long, [`${long}y`, "short"])).toBe(`${long}y`)
  const many = Array.from({ length: 100_000 }, (_, n) => `command ${n}`)
  expect(findNearest("command 99999", many)).toBe("command 999")
})

it("does not take a different word for a typo", () => {
  expect(findSimilar("prt", ["host", "port"])).toBe("port")
  expect(findSimilar("redact", ["host", "port"])).toBeUndefined()
  expect(findSimilar("cmd", ["command", "cwd"])).toBeUndefined()
})

it("asks for the meant names at the end of a message, if there are any", () => {
  expect(didYouMean(undefined)).toBe("")
  expect(didYouMean([])).toBe("")
  expect(didYouMean("port")).toBe('; did you mean "port"?')
  expect(didYouMean(["port", "host"], [" (", ")"])).toBe(' (did you mean "port" or "host"?)')
})
