import { expect, it } from "@effect/vitest"
import type { LaunchOutcome } from "../../../src/policy/launchers/LauncherRule.ts"
import { findLauncher, launcherNames } from "../../../src/policy/launchers/launcherTable.ts"
import { cases } from "./cases.ts"

const described = (outcome: LaunchOutcome): string => {
  switch (outcome._tag) {
    case "Sets":
      return described(outcome.then)
    case "Runs":
      return outcome.commands.map((words) => [...words, ...(outcome.adds === true ? ["…"] : [])].join(" ")).join(", ")
    default:
      return outcome._tag.toLowerCase()
  }
}

const outcomeOf = (call: string): string => {
  const [name = "", ...words] = call.split(" ")
  const launcher = findLauncher(name, undefined)
  return launcher === undefined ? "not in the table" : described(launcher(words))
}

it("knows the program that each launcher would run", () => {
  const calls = Object.values(cases).flat()
  expect(calls.map(([call]) => `${call} => ${outcomeOf(call)}`)).toEqual(
    calls.map(([call, outcome]) => `${call} => ${outcome}`),
  )
})

it("has a case for each row of the table, and takes the rest for programs that may run anything", () => {
  const covered = new Set(Object.keys(cases).map((name) => findLauncher(name, undefined)))
  const others = launcherNames.filter((name) => !covered.has(findLauncher(name, undefined)))
  expect(others.length).toBeGreaterThan(100)
  expect(others.filter((name) => outcomeOf(`${name} x`) !== "code")).toEqual([])
})

it("knows a program by its name with a version, and by the file that its name links to", () => {
  expect(findLauncher("python3.11", undefined)).toBe(findLauncher("python3", undefined))
  expect(findLauncher("gcc-12", undefined)).toBe(findLauncher("gcc", undefined))
  expect(findLauncher("ld-linux-x86-64.so.2", undefined)).toBe(findLauncher("vim", undefined))
  expect(findLauncher("editor", "vim.basic")).toBe(findLauncher("vim", undefined))
  expect(findLauncher("editor", "nano")).toBe(findLauncher("nano", undefined))
  expect(findLauncher("x86_64-linux-gnu-gcc-12", undefined)).toBe(findLauncher("gcc", undefined))
  expect(findLauncher("perl5.36-x86_64-linux-gnu", undefined)).toBe(findLauncher("perl", undefined))
  expect(findLauncher("php8.2-cgi", undefined)).toBe(findLauncher("php", undefined))
  expect(findLauncher("diff", undefined)).toBeUndefined()
  // Of a file of many programs only the name tells which it is.
  expect(findLauncher("ls", "busybox")).toBeUndefined()
  expect(findLauncher("cat", undefined)).toBeUndefined()
})
