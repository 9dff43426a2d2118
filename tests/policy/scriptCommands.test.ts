import { expect, it } from "@effect/vitest"
import { scriptCommands } from "../../src/policy/scriptCommands.ts"

it("the commands of a script are told with their words, quotes and all", () => {
  expect(scriptCommands(`git log --format='%h $1' "a b" c\\ d | wc -l && ls 2>/dev/null`)).toEqual([
    ["git", "log", "--format=%h $1", "a b", "c d"],
    ["wc", "-l"],
    ["ls"],
  ])
  expect(scriptCommands("")).toEqual([])
  expect(scriptCommands("x".repeat(70_000))).toBeUndefined()
})
