import { expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import {
  parseBytes,
  parseDuration,
  parseLimits,
  parsePositiveDuration,
  parseVariables,
} from "../../src/cli/parseValues.ts"

const refusalOf = (parsed: Result.Result<unknown, string>): string | undefined =>
  Result.isFailure(parsed) ? parsed.failure : undefined

it.each([
  ["500ms", 500],
  ["5s", 5_000],
  ["1.5s", 1_500],
  ["2m", 120_000],
  ["1h", 3_600_000],
  ["0s", 0],
  ["5", 5_000],
  ["0.5", 500],
])("reads the duration %s", (text, millis) => {
  expect(parseDuration(text)).toEqual(Result.succeed(millis))
})

it.each(["", "s", "-1s", "1 s", "1d", "5S", "1e3s", "Infinity", ".5s", "99999999999999999s"])(
  "refuses '%s' as a duration, in one line that shows how to write one",
  (text) => {
    expect(refusalOf(parseDuration(text))).toBe(
      `"${text}" is not a duration; write seconds, or a number with a unit, as in 5, 500ms, 2m, 1h`,
    )
  },
)

it("refuses a timeout of zero", () => {
  expect(refusalOf(parsePositiveDuration("0ms"))).toBe(`"0ms" is not greater than zero`)
  expect(parsePositiveDuration("1ms")).toEqual(Result.succeed(1))
})

it.each([
  ["0", 0],
  ["1000", 1_000],
  ["64K", 65_536],
  ["64k", 65_536],
  ["512M", 536_870_912],
  ["1.5G", 1_610_612_736],
  ["1GiB", 1_073_741_824],
  ["1GB", 1_073_741_824],
  ["2T", 2_199_023_255_552],
])("reads the size %s", (text, bytes) => {
  expect(parseBytes(text)).toEqual(Result.succeed(bytes))
})

it.each(["", "M", "-1", "1 M", "1P", "1e3", "99999999T"])("refuses '%s' as a size", (text) => {
  expect(refusalOf(parseBytes(text))).toContain(`"${text}" is not a size`)
})

it("reads limits, in one text or in several", () => {
  const all = { memoryBytes: 536_870_912, cpuSeconds: 10, processes: 64, fileSizeBytes: 1_073_741_824 }
  expect(parseLimits(["memory=512M,cpu=10s,processes=64,file=1G"])).toEqual(Result.succeed(all))
  expect(parseLimits(["memory=512M", "cpu=10s", "processes=64,file=1G"])).toEqual(Result.succeed(all))
  expect(parseLimits(["cpu=2m"])).toEqual(Result.succeed({ cpuSeconds: 120 }))
})

it.each([
  ["disk=1G", `"disk=1G" is not a limit`],
  ["memory", `"memory" is not a limit`],
  ["", `"" is not a limit`],
  ["memory=lots", `memory: "lots" is not a size`],
  ["memory=0", `memory: "0" is less than 1`],
  ["cpu=500ms", `cpu: "500ms" is not a whole number of seconds`],
  ["cpu=0s", `cpu: "0s" is less than 1`],
  ["processes=1.5", `processes: "1.5" is not a whole number`],
  ["file=1K,file=2K", `"file" is given twice`],
])("refuses the limit '%s'", (text, problem) => {
  expect(refusalOf(parseLimits([text]))).toContain(problem)
})

it("reads variables, whatever their values hold", () => {
  expect(parseVariables(["A=1", "B=", "C=x=y", "A=2"])).toEqual(Result.succeed({ A: "2", B: "", C: "x=y" }))
  expect(refusalOf(parseVariables(["A"]))).toBe(`"A" is not a variable; write NAME=VALUE`)
  expect(refusalOf(parseVariables(["=1"]))).toBe(`"=1" is not a variable; write NAME=VALUE`)
})

it("keeps a variable called __proto__ a variable", () => {
  const parsed = parseVariables(["__proto__=1"])
  expect(Result.isSuccess(parsed) ? Object.entries(parsed.success) : []).toEqual([["__proto__", "1"]])
})
