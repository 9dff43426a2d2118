import { expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { combinedFlag, decodeFlags, type FlagTable, listFlag, switchFlag, valueFlag } from "../../src/cli/FlagSpec.ts"
import { parseCountFrom, parseNonEmpty, parseVariables } from "../../src/cli/parseValues.ts"

interface Flags {
  readonly quiet: boolean
  readonly count: number | undefined
  readonly name: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>> | undefined
}

const table: FlagTable<Flags> = {
  quiet: switchFlag("Write less"),
  count: valueFlag("N", "How many", parseCountFrom(1, 9)),
  name: { ...listFlag("NAME", "Names; repeatable", parseNonEmpty), requires: "count" },
  env: combinedFlag("K=V", "Variables; repeatable", parseVariables),
}

const decode = (texts: Readonly<Record<string, ReadonlyArray<string>>>) =>
  Result.mapError(decodeFlags(table, new Map(Object.entries(texts))), ({ message }) => message)

it("decodes each flag of a table, and flags that are not given", () => {
  expect(decode({})).toEqual(Result.succeed({ quiet: false, count: undefined, name: [], env: undefined }))
  expect(decode({ quiet: ["true"], count: ["2"], name: ["a", "b"], env: ["A=1", "B=2"] })).toEqual(
    Result.succeed({ quiet: true, count: 2, name: ["a", "b"], env: { A: "1", B: "2" } }),
  )
})

it("names the flag in a failure", () => {
  expect(decode({ count: ["10"] })).toEqual(Result.fail('--count: "10" is more than 9'))
  expect(decode({ count: ["1"], name: ["a", ""] })).toEqual(Result.fail("--name: is empty"))
})

it("refuses a flag without the one that it requires", () => {
  expect(decode({ name: ["a"] })).toEqual(Result.fail("--name requires --count"))
})
