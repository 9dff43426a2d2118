import { expect, it } from "@effect/vitest"
import { formatLink, parseLink } from "../../../src/console/page/pageLink.ts"

it("reads back its own links, for any command id", () => {
  for (const commandId of ["build-17", "run/1/2", "a%2F&line=3#?+b", "~!@$^*()"]) {
    for (const lines of [undefined, { from: 12, to: 12 }, { from: 3, to: 18 }]) {
      expect(parseLink(formatLink({ commandId, lines }))).toEqual({ commandId, lines })
    }
  }
  expect(formatLink({ commandId: "b", lines: { from: 12, to: 18 } })).toBe("#command=b&line=12-18")
})

it("takes nothing else from an address, which is not trusted", () => {
  expect(parseLink("#command=b&line=18-12")?.lines).toEqual({ from: 12, to: 18 })
  for (const line of ["0", "-1", "1e3", "12-", "x", "1-2-3", "9999999999", "1%0a2", ""]) {
    expect([line, parseLink(`#command=b&line=${line}`)]).toEqual([line, { commandId: "b", lines: undefined }])
  }
  const wrong = [
    "",
    "#",
    "#left",
    "#token=t0ken",
    "#command=",
    "#command=a%20b",
    "#command=%00",
    `#command=${"x".repeat(201)}`,
  ]
  for (const fragment of wrong) expect([fragment, parseLink(fragment)]).toEqual([fragment, undefined])
})
