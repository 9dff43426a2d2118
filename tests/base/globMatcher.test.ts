import { expect, it } from "@effect/vitest"
import { globMatcher } from "../../src/base/globMatcher.ts"

const matches = (pattern: string, text: string): boolean => globMatcher(pattern)(text)

it.each([
  ["git*", "git log --stat"],
  ["*test*", "npm run test:all"],
  ["*", ""],
  ["**", "anything"],
  ["npm ?un *", "npm run build"],
  ["[gn]*", "git log"],
  ["[!a]*", "git"],
  ["[^a]*", "git"],
  ["[a-f0-9]?", "c7"],
  ["[]x]", "]"],
  ["[a-]", "-"],
  ["a[", "a["],
  ["\\*", "*"],
  ["/usr/*/git*", "/usr/local/bin/git"],
  ["é?", "é😀"],
  ["*a*b*c", "xxaxxbxxabc"],
])("'%s' means '%s'", (pattern, text) => {
  expect(matches(pattern, text)).toBe(true)
})

it.each([
  ["git", "git log"],
  ["", "git"],
  ["?", ""],
  ["[gn]*", "make"],
  ["[!g]*", "git"],
  ["\\*", "x"],
  ["*.ts", "a.tsx"],
  ["a[b", "ab"],
])("'%s' does not mean '%s'", (pattern, text) => {
  expect(matches(pattern, text)).toBe(false)
})

it("terminates where a backtracking matcher would hang", () => {
  expect(matches("a*".repeat(50) + "b", "a".repeat(2_000))).toBe(false)
  expect(matches("*a".repeat(50) + "*", "a".repeat(2_000))).toBe(true)
})
