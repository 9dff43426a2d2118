import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import type { Entry } from "@sluice/shell/journal"
import { decodeEventEntry, decodeRequestEntry } from "../../src/branch/BranchDefinition.ts"
import { branchEntryTags, decodeBranchEntry, draftBranchEntry } from "../../src/branch/BranchEntry.ts"
import { Counting } from "./counting.ts"
import { branchEntries } from "./golden/values.ts"

const entry = (body: Record<string, unknown> & { _tag: string }, version = 1): Entry => ({
  position: 7,
  branch: "counting",
  correlationId: "x",
  version,
  tag: body._tag,
  time: 0,
  hash: "",
  body: JSON.parse(JSON.stringify(body)),
})

describe("entries of a later version", () => {
  it("skips an event that is unknown", () => {
    expect(decodeEventEntry(Counting, entry({ _tag: "Paused", id: "x" }, 2))).toBeUndefined()
    expect(decodeEventEntry(Counting, entry({ _tag: "Paused", id: "x" }))).toBeUndefined()
  })

  it("reads an event that fits, without the fields that are new", () => {
    const counted = decodeEventEntry(Counting, entry({ _tag: "Counted", id: "x", n: 3, unit: "apples" }, 9))
    expect(counted).toEqual(Result.succeed({ _tag: "Counted", id: "x", n: 3 }))
  })

  it("skips an event that does not fit, but fails for one that ends the request", () => {
    expect(decodeEventEntry(Counting, entry({ _tag: "Counted", id: "x", n: "three" }, 2))).toBeUndefined()
    const last = decodeEventEntry(Counting, entry({ _tag: "Finished", id: "x" }, 2))
    expect(last !== undefined && Result.isFailure(last) && last.failure.reason).toEqual({
      _tag: "TooNew",
      version: 2,
      known: 1,
    })
  })

  it("leaves a request alone, even one that would fit: a new field may change its meaning", () => {
    const request = decodeRequestEntry(Counting, entry({ _tag: "Count", id: "x", to: 3 }, 2))
    expect(request !== undefined && Result.isFailure(request) && request.failure.reason._tag).toBe("TooNew")
  })

  it("still fails for an event of this version that cannot be read", () => {
    const broken = decodeEventEntry(Counting, entry({ _tag: "Counted", id: "x", n: "three" }))
    expect(broken !== undefined && Result.isFailure(broken) && broken.failure.reason._tag).toBe("Corrupt")
  })
})

describe("golden file", () => {
  const golden = readFileSync(new URL("./golden/branch-v1.ndjson", import.meta.url), "utf8").split("\n").slice(0, -1)

  it("has an entry of each kind", () => {
    expect(new Set(branchEntries.map(({ _tag }) => _tag))).toEqual(new Set(branchEntryTags))
  })

  it("equals the encoded entries of a branch, byte by byte", () => {
    expect(branchEntries.map((each) => JSON.stringify(draftBranchEntry(Counting, "x", each).body))).toEqual(golden)
  })

  it("decodes to the entries that it was made of", () => {
    expect(golden.map((line) => decodeBranchEntry(Counting, entry(JSON.parse(line))))).toEqual(branchEntries)
  })
})
