import { expect, it } from "@effect/vitest"
import { known } from "../../src/policy/Argument.ts"
import type { Outcome } from "../../src/policy/launchers/Launcher.ts"
import { launcherNames, launcherOf } from "../../src/policy/launchers/table.ts"
import { cases } from "./launchers.cases.ts"

const described = (outcome: Outcome): string => {
  switch (outcome._tag) {
    case "Sets":
      return described(outcome.then)
    case "Runs":
      return outcome.commands.map((words) =>
        words.map((word) => word.text ?? ("head" in word ? `${word.head}…` : "")).join(" ")
      ).join(", ")
    default:
      return outcome._tag.toLowerCase()
  }
}

const outcomeOf = (call: string): string => {
  const [name = "", ...words] = call.split(" ")
  const launcher = launcherOf(name, undefined)
  return launcher === undefined ? "not in the table" : described(launcher(known(words)))
}

it("knows what each launcher would run", () => {
  const calls = Object.values(cases).flat()
  expect(calls.map(([call]) => `${call} => ${outcomeOf(call)}`)).toEqual(
    calls.map(([call, outcome]) => `${call} => ${outcome}`),
  )
})

it("has a case for each row of the table, and takes the rest for programs that may run anything", () => {
  const covered = new Set(Object.keys(cases).map((name) => launcherOf(name, undefined)))
  const others = launcherNames.filter((name) => !covered.has(launcherOf(name, undefined)))
  expect(others.length).toBeGreaterThan(100)
  expect(others.filter((name) => outcomeOf(`${name} x`) !== "code")).toEqual([])
})

it("knows a program by its version and by the file behind its name", () => {
  expect(launcherOf("python3.11", undefined)).toBe(launcherOf("python3", undefined))
  expect(launcherOf("gcc-12", undefined)).toBe(launcherOf("gcc", undefined))
  expect(launcherOf("ld-linux-x86-64.so.2", undefined)).toBe(launcherOf("vim", undefined))
  expect(launcherOf("editor", "vim.basic")).toBe(launcherOf("vim", undefined))
  expect(launcherOf("editor", "nano")).toBe(launcherOf("nano", undefined))
  expect(launcherOf("x86_64-linux-gnu-gcc-12", undefined)).toBe(launcherOf("gcc", undefined))
  expect(launcherOf("perl5.36-x86_64-linux-gnu", undefined)).toBe(launcherOf("perl", undefined))
  expect(launcherOf("php8.2-cgi", undefined)).toBe(launcherOf("php", undefined))
  expect(launcherOf("diff", undefined)).toBeUndefined()
  // Of a file of many programs only the name tells which it is.
  expect(launcherOf("ls", "busybox")).toBeUndefined()
  expect(launcherOf("cat", undefined)).toBeUndefined()
})
