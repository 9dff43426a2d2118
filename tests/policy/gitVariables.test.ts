import { expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { encodeGitSettings } from "../../src/policy/gitVariables.ts"

it("encodes settings that git reads, the last of a key before the others", () => {
  const settings = encodeGitSettings([["a.b", "x"], ["filter.p=q r.clean", ""], ["a.b", "y"]])
  const read = (...key: ReadonlyArray<string>) =>
    execFileSync("git", ["config", ...key], { encoding: "utf8", env: { ...process.env, ...settings } })
  expect(settings["GIT_CONFIG_COUNT"]).toBe("3")
  expect(read("--get", "a.b")).toBe("y\n")
  expect(read("--get", "filter.p=q r.clean")).toBe("\n")
})
