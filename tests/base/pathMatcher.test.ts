import { expect, it } from "@effect/vitest"
import { pathMatcher } from "../../src/base/pathMatcher.ts"

it("takes no more steps than the product of both lengths, also where many ** meet a deep path", () => {
  const matches = pathMatcher(`${"**/a/".repeat(800)}x`)
  const folder = "a/".repeat(2_000)
  // With a step for each pair of places and each part, one of these would take about a minute.
  expect(["x", "y", "b/x"].map((name) => matches(`${folder}${name}`))).toEqual([true, false, false])
})
