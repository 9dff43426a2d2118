import { expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readRunCodeRequest } from "../../../src/cli/code/codeSpec.ts"

const read = (words: ReadonlyArray<string>, flags: Readonly<Record<string, ReadonlyArray<string>>> = {}) =>
  readRunCodeRequest({
    name: "code",
    operands: words,
    flags: new Map(Object.entries({ language: ["bash"], ...flags })),
  })

const problemOf = (...given: Parameters<typeof read>): string => {
  const request = read(...given)
  return Result.isFailure(request) ? request.failure.message : "nothing"
}

it("passes the code unchanged, and leaves every default to the runner", () => {
  expect(read([" -x\n"])).toEqual(Result.succeed({
    source: { _tag: "Text", code: " -x\n" },
    settings: {
      language: "bash",
      version: undefined,
      cwd: undefined,
      env: undefined,
      extendEnv: undefined,
      timeout: undefined,
      grace: undefined,
      maxOutputBytes: undefined,
      limits: undefined,
    },
    json: false,
    input: undefined,
    journal: undefined,
  }))
})

it("parses the value of every flag", () => {
  const request = read([], {
    "version": ["5.2"],
    "file": ["a.py"],
    "json": ["true"],
    "timeout": ["1.5s"],
    "grace": ["0s"],
    "cwd": ["/work"],
    "env": ["A=1", "B=c=d"],
    "clear-env": ["true"],
    "input": ["-"],
    "max-output": ["64K"],
    "limit": ["cpu=1s,memory=1G"],
    "journal": ["x.db"],
  })
  expect(request).toEqual(Result.succeed({
    source: { _tag: "File", file: "a.py" },
    settings: {
      language: "bash",
      version: "5.2",
      cwd: "/work",
      env: { A: "1", B: "c=d" },
      extendEnv: false,
      timeout: 1_500,
      grace: 0,
      maxOutputBytes: 65_536,
      limits: { cpuSeconds: 1, memoryBytes: 1_073_741_824 },
    },
    json: true,
    input: "-",
    journal: "x.db",
  }))
})

it("reads - as stdin", () => {
  expect(read(["-"])).toMatchObject(Result.succeed({ source: { _tag: "File", file: "-" } }))
})

it.each(
  [
    ["no language", problemOf(["x"], { language: [] }), /^missing --language, as in /],
    ["no code", problemOf([]), /^missing code: quote it, .* or use - to read it from stdin$/],
    ["two words", problemOf(["print", "1"]), /^the code must be one argument: quote it, /],
    ["code and a file", problemOf(["x"], { file: ["x.sh"] }), /^CODE and --file are mutually exclusive$/],
    ["stdin for two", problemOf(["-"], { input: ["-"] }), /^stdin is the code: /],
    ["stdin for two, by a flag", problemOf([], { file: ["-"], input: ["-"] }), /^stdin is the code: /],
    ["a time of none", problemOf(["x"], { timeout: ["0s"] }), /^--timeout: "0s" is not greater than zero$/],
    ["a size of none", problemOf(["x"], { "max-output": ["much"] }), /^--max-output: "much" is not a size/],
    ["a limit of none", problemOf(["x"], { limit: ["x=1"] }), /^--limit: "x=1" is not a limit/],
    ["an empty directory", problemOf(["x"], { cwd: [""] }), /^--cwd: is empty$/],
    ["an empty language", problemOf(["x"], { language: [""] }), /^--language: is empty$/],
  ] as const,
)("reports the problem with %s", (_, said, problem) => {
  expect(said).toMatch(problem)
})
