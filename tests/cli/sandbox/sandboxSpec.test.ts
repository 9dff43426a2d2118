import { expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { decodeFlags } from "../../../src/cli/FlagSpec.ts"
import {
  parseMount,
  parseOrigin,
  parseProgram,
  parseSandboxLimits,
  sandboxFlags,
} from "../../../src/cli/sandbox/sandboxSpec.ts"

const read = (flags: Readonly<Record<string, ReadonlyArray<string>>>) =>
  decodeFlags(sandboxFlags, new Map(Object.entries(flags)))

it("leaves the defaults to the sandbox", () => {
  expect(read({})).toEqual(Result.succeed({
    program: [],
    isolate: false,
    mount: [],
    env: undefined,
    cwd: undefined,
    timeout: undefined,
    limit: undefined,
    network: [],
  }))
})

it("reads every flag", () => {
  const request = read({
    program: ["jq=a/jq.wasm", "x=y=z.wasm"],
    isolate: ["true"],
    mount: [".:ro"],
    env: ["A=1", "B=c=d"],
    cwd: ["/work"],
    timeout: ["1.5s"],
    limit: ["processes=9,memory=64M", "output=1K"],
    network: ["https://example.org"],
  })
  expect(request).toMatchObject(Result.succeed({
    program: [{ name: "jq", file: "a/jq.wasm" }, { name: "x", file: "y=z.wasm" }],
    isolate: true,
    mount: [{ folder: ".", mode: "ro", path: undefined }],
    env: { A: "1", B: "c=d" },
    cwd: "/work",
    timeout: 1_500,
    limit: { maxProcesses: 9, memoryBytes: 67_108_864, outputBytes: 1_024 },
    network: ["https://example.org"],
  }))
})

it.each(
  [
    ["dir", { folder: "dir", mode: "rw", path: undefined }],
    ["dir:ro", { folder: "dir", mode: "ro", path: undefined }],
    ["/a b:overlay=/in/side", { folder: "/a b", mode: "overlay", path: "/in/side" }],
    ["dir=/", { folder: "dir", mode: "rw", path: "/" }],
    ["a=b:rw=/c=d", { folder: "a=b", mode: "rw", path: "/c=d" }],
    ["a:b", { folder: "a:b", mode: "rw", path: undefined }],
  ] as const,
)("reads the mount '%s'", (text, mount) => {
  expect(parseMount(text)).toEqual(Result.succeed(mount))
})

const problemOf = (parsed: Result.Result<unknown, string>): string =>
  Result.isFailure(parsed) ? parsed.failure : "nothing"

it.each(
  [
    [problemOf(parseMount(":ro=/x")), /names no folder/],
    [problemOf(parseMount("")), /names no folder/],
    [problemOf(parseProgram("jq.wasm")), /is not a program; write NAME=FILE\.wasm/],
    [problemOf(parseProgram("=x")), /is not a program/],
    [problemOf(parseProgram("x=")), /is not a program/],
    [problemOf(parseProgram("bin/x=y")), /is not a program/],
    [problemOf(parseSandboxLimits(["cpu=3s"])), /"cpu=3s" is not a limit; the limits are memory, /],
    [problemOf(parseSandboxLimits(["processes"])), /is not a limit/],
    [problemOf(parseSandboxLimits(["processes=0"])), /processes: "0" is less than 1/],
    [problemOf(parseSandboxLimits(["processes=1.5"])), /not a whole number/],
    [problemOf(parseSandboxLimits(["disk=much"])), /disk: "much" is not a size/],
    [problemOf(parseSandboxLimits(["files=1", "files=2"])), /given twice/],
    [problemOf(parseOrigin("example.org")), /is not an origin; write https:/],
    [problemOf(parseOrigin("ftp://example.org")), /is not an origin/],
    [problemOf(parseOrigin("https://example.org/path")), /is not an origin/],
    [problemOf(parseOrigin("https://user@example.org")), /is not an origin/],
  ] as const,
)("reports the problem: %s", (said, problem) => {
  expect(said).toMatch(problem)
})

it("takes an origin with a slash behind it", () => {
  expect(parseOrigin("https://example.org/")).toEqual(Result.succeed("https://example.org"))
})

it("names the flag with the invalid value", () => {
  for (
    const [flag, text] of [["program", "x"], ["mount", ":ro"], ["env", "A"], ["cwd", ""], ["timeout", "0s"], [
      "limit",
      "x",
    ]]
  ) {
    const wrong = read({ [flag ?? ""]: [text ?? ""] })
    expect(Result.isFailure(wrong) ? wrong.failure.message : "").toMatch(new RegExp(`^--${flag}: `))
  }
})
