import { expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { SpellFault, SpellFaultKind, SpellInvocation, SpellResult } from "../../src/spell/mod.ts"

/** The encoded form of the entries of the branch: journals that exist have it. */
const golden = readFileSync(new URL("./golden/entries-v1.ndjson", import.meta.url), "utf8").trimEnd().split("\n")

const Entry = Schema.Union([SpellInvocation, SpellResult, SpellFault])

const entries = [
  SpellInvocation.make({ correlationId: "run/1/2", name: "read_file", arguments: { path: "a.txt", firstLine: 2 } }),
  SpellResult.make({ correlationId: "run/1/2", result: { text: "     2\tb", totalLines: 2 } }),
  new SpellFault({
    correlationId: "run/1/2",
    spell: "read_file",
    faultKind: "Failed",
    message: "read_file: read a.txt: there is nothing at this path",
    failure: { _tag: "FileFault", faultKind: "NotFound" },
  }),
  ...SpellFaultKind.literals.map((faultKind) =>
    new SpellFault({ correlationId: "c", spell: "s", faultKind, message: "m" })
  ),
]

it("encodes the entries of the branch as the golden file has them", () => {
  expect(entries.map((entry) => JSON.stringify(Schema.encodeSync(Entry)(entry)))).toEqual(golden)
})

it("decodes the golden file", () => {
  expect(golden.map((line) => Schema.decodeUnknownSync(Entry)(JSON.parse(line)))).toEqual(entries)
})
