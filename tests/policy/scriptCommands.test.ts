import { expect, it } from "@effect/vitest"
import { scriptCommands } from "../../src/policy/scriptCommands.ts"

it("lists the commands of a script with their words, including quotes", () => {
  expect(scriptCommands(`git log --format='%h $1' "a b" c\\ d | wc -l && ls 2>/dev/null`)).toEqual([
    ["git", "log", "--format=%h $1", "a b", "c d"],
    ["wc", "-l"],
    ["ls"],
  ])
  expect(scriptCommands("")).toEqual([])
  expect(scriptCommands("x".repeat(70_000))).toBeUndefined()
})
