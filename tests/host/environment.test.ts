import { expect, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import {
  applyDelta,
  childEnvironment,
  childVariable,
  emptyDelta,
  type EnvironmentDelta,
  type EnvironmentRequest,
  lookupIn,
} from "../../src/host/environment.ts"
import { rawSpawn } from "../leaves/local/rawSpawn.ts"

const parent = { HOME: "/home/me", PATH: "/usr/bin:/bin", LANG: "C" }
const windowsParent = { Path: "C:\\bin", SystemRoot: "C:\\Windows", UserName: "me" }

const posix = (request: Omit<EnvironmentRequest, "platform" | "parent">) =>
  childEnvironment({ platform: "posix", parent: lookupIn("posix", parent), ...request })
const windows = (request: Omit<EnvironmentRequest, "platform" | "parent">) =>
  childEnvironment({ platform: "windows", parent: lookupIn("windows", windowsParent), ...request })

const posixAll = (delta: EnvironmentDelta) => ({ ...applyDelta("posix", delta, parent) })
const windowsAll = (delta: EnvironmentDelta) => ({ ...applyDelta("windows", delta, windowsParent) })

it("reports that nothing changes, without reading the parent's environment", () => {
  const untouched = childEnvironment({
    platform: "posix",
    parent: () => {
      throw new Error("asked")
    },
  })
  expect(Result.getOrThrow(untouched)).toBe(emptyDelta)
  expect(posixAll(emptyDelta)).toEqual(parent)
})

it("adds, overrides and removes, and leaves the rest as the parent has it", () => {
  const delta = Result.getOrThrow(posix({ entries: { LANG: "de", NEW: "", HOME: null, NEVER: null } }))
  expect({ ...delta.set }).toEqual({ LANG: "de", NEW: "" })
  expect(delta.remove).toEqual(["HOME", "NEVER"])
  expect(delta.clear).toBe(false)
  expect(posixAll(delta)).toEqual({ PATH: "/usr/bin:/bin", LANG: "de", NEW: "" })
})

it("passes on only the entries if the environment is not inherited", () => {
  const delta = Result.getOrThrow(posix({ inherit: false, entries: { A: "1", B: null } }))
  expect(delta.clear).toBe(true)
  expect(delta.remove).toEqual([])
  expect(posixAll(delta)).toEqual({ A: "1" })
  expect(posixAll(Result.getOrThrow(posix({ inherit: false })))).toEqual({})
})

it("reveals secrets only to the child", () => {
  const delta = Result.getOrThrow(posix({ entries: { TOKEN: Redacted.make("hunter2") } }))
  expect({ ...delta.set }).toEqual({ TOKEN: "hunter2" })
})

it("puts directories first on the PATH that the child would have had", () => {
  const pathFirst = ["/p/node_modules/.bin", "/node_modules/.bin"]
  const both = pathFirst.join(":")
  expect(posixAll(Result.getOrThrow(posix({ pathFirst })))["PATH"]).toBe(`${both}:/usr/bin:/bin`)
  expect(posixAll(Result.getOrThrow(posix({ pathFirst, entries: { PATH: "/x" } })))["PATH"]).toBe(`${both}:/x`)
  const system = `${both}:/usr/local/bin:/usr/bin:/bin`
  expect(posixAll(Result.getOrThrow(posix({ pathFirst, entries: { PATH: null } })))["PATH"]).toBe(system)
  expect(posixAll(Result.getOrThrow(posix({ pathFirst, inherit: false })))["PATH"]).toBe(system)
  expect(Result.getOrThrow(posix({ pathFirst: [] }))).toBe(emptyDelta)
})

it("always sets the marker", () => {
  const marker = ["SLUICE_MARK", "id"] as const
  expect({ ...Result.getOrThrow(posix({ marker })).set }).toEqual({ SLUICE_MARK: "id" })
  expect(posixAll(Result.getOrThrow(posix({ marker, inherit: false, entries: { SLUICE_MARK: "no" } })))).toEqual({
    SLUICE_MARK: "id",
  })
})

it("compares names without case on Windows and keeps the case they had", () => {
  const delta = Result.getOrThrow(windows({ entries: { PATH: "C:\\x", USERNAME: null, temp: "1", Temp: "2" } }))
  expect(windowsAll(delta)).toEqual({ Path: "C:\\x", SystemRoot: "C:\\Windows", Temp: "2" })
  const first = Result.getOrThrow(windows({ pathFirst: ["C:\\p"], entries: { pAtH: "C:\\x" } }))
  expect(windowsAll(first)["Path"]).toBe("C:\\p;C:\\x")
  expect(windowsAll(Result.getOrThrow(windows({ pathFirst: ["C:\\p"] })))["Path"]).toBe("C:\\p;C:\\bin")
})

it("keeps names that differ by case apart on POSIX", () => {
  const delta = Result.getOrThrow(posix({ entries: { lang: "x", LANG: null } }))
  expect(posixAll(delta)).toEqual({ HOME: "/home/me", PATH: "/usr/bin:/bin", lang: "x" })
})

it("keeps SystemRoot in a cleared Windows environment unless an entry says otherwise", () => {
  expect(windowsAll(Result.getOrThrow(windows({ inherit: false })))).toEqual({ SystemRoot: "C:\\Windows" })
  expect(windowsAll(Result.getOrThrow(windows({ inherit: false, entries: { SYSTEMROOT: "D:\\W" } })))).toEqual({
    SYSTEMROOT: "D:\\W",
  })
  expect(windowsAll(Result.getOrThrow(windows({ inherit: false, entries: { systemroot: null } })))).toEqual({})
})

it("answers for one variable as the whole environment would", () => {
  const delta = Result.getOrThrow(windows({ entries: { PATH: "C:\\x", UserName: null } }))
  const ask = (name: string) => childVariable("windows", delta, lookupIn("windows", windowsParent), name)
  expect(["path", "USERNAME", "systemroot", "none"].map(ask)).toEqual(["C:\\x", undefined, "C:\\Windows", undefined])
  const cleared = Result.getOrThrow(posix({ inherit: false }))
  expect(childVariable("posix", cleared, lookupIn("posix", parent), "HOME")).toBeUndefined()
  expect(childVariable("posix", emptyDelta, lookupIn("posix", parent), "HOME")).toBe("/home/me")
})

it("refuses names and values that no environment can hold, and never shows the value", () => {
  const lost = Redacted.make("gone")
  Redacted.wipeUnsafe(lost)
  const table = [
    [{ "": "x" }, "", /empty name/],
    [{ "A=B": "x" }, "A=B", /'='/],
    [{ "A\0": "x" }, "A\0", /NUL in its name/],
    [{ A: "hunter\0two" }, "A", /contains a NUL/],
    [{ A: Redacted.make("hunter\0two") }, "A", /contains a NUL/],
    [{ A: lost }, "A", /secret/],
    [{ "=": null }, "=", /'='/],
  ] as const
  for (const [entries, name, problem] of table) {
    const result = posix({ entries })
    expect(Result.isFailure(result) && result.failure).toMatchObject({ name, problem: expect.stringMatching(problem) })
    expect(JSON.stringify(result)).not.toContain("hunter")
  }
})

it("carries a variable called __proto__ like any other, down to a real process", async () => {
  const entries: Record<string, string> = Object.fromEntries([["__proto__", "x"], ["A", "1"]])
  const delta = Result.getOrThrow(posix({ inherit: false, entries }))
  const env = applyDelta("posix", delta, {})
  expect(Object.keys(env).sort()).toEqual(["A", "__proto__"])
  const { output } = await rawSpawn("/usr/bin/env", [], { env })
  expect(output.split("\n").filter((line) => line !== "").sort()).toEqual(["A=1", "__proto__=x"])
})
