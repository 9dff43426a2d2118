import { expect, it } from "@effect/vitest"
import { formatWireVersions, minWireVersion, negotiateWireVersion, wireVersion } from "../../src/wire/version.ts"

it("picks the newest version that both sides support", () => {
  const supported = { min: 2, max: 4 }
  const cases = [
    ["4", 4],
    ["3", 3],
    ["2", 2],
    ["1-9", 4],
    ["3-5", 4],
    [" 1-2 ", 2],
    ["4-5", 4],
  ] as const
  for (const [header, version] of cases) {
    expect([header, negotiateWireVersion(header, supported)]).toEqual([header, version])
  }
})

it("finds no version in a higher, lower or malformed range", () => {
  const supported = { min: 2, max: 4 }
  for (const header of ["5", "5-6", "1", "0-1", "", "x", "4-2", "-2", "2-", "2,3", "2.0", "99999999999"]) {
    expect([header, negotiateWireVersion(header, supported)]).toEqual([header, undefined])
  }
})

it("treats a missing version as the newest", () => {
  expect(negotiateWireVersion(undefined, { min: 2, max: 4 })).toBe(4)
  expect(negotiateWireVersion(null)).toBe(wireVersion)
})

it("accepts this package's own range, and a neighbour's that overlaps it", () => {
  expect(negotiateWireVersion(formatWireVersions())).toBe(wireVersion)
  expect(negotiateWireVersion(`${wireVersion}-${wireVersion + 1}`)).toBe(wireVersion)
  expect(negotiateWireVersion(`${minWireVersion - 1}-${minWireVersion}`)).toBe(minWireVersion)
  expect(negotiateWireVersion(`${wireVersion + 1}`)).toBeUndefined()
  expect(negotiateWireVersion(`${minWireVersion - 1}`)).toBeUndefined()
})

it("writes one number for a range of one version", () => {
  expect([formatWireVersions({ min: 1, max: 1 }), formatWireVersions({ min: 1, max: 3 })]).toEqual(["1", "1-3"])
})
