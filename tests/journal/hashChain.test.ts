import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import * as Schema from "effect/Schema"
import { makeJournal } from "../../src/journal/makeJournal.ts"
import { noHash } from "../../src/journal/Entry.ts"
import { canonicalJson } from "../../src/base/canonicalJson.ts"
import { extendStripDigest } from "../../src/journal/checkpoint.ts"
import { hashInput, hashRow } from "../../src/journal/hashChain.ts"
import { ReferenceStore } from "./ReferenceStore.ts"

const Golden = Schema.Struct({
  rows: Schema.Array(Schema.Struct({
    position: Schema.Int,
    time: Schema.Int,
    branch: Schema.String,
    correlationId: Schema.String,
    tag: Schema.String,
    version: Schema.Int,
    hash: Schema.String,
    body: Schema.String,
  })),
  stripped: Schema.String,
})

/** Written once: a change of what is hashed makes every existing journal invalid. */
const { rows, stripped } = Schema.decodeUnknownSync(Golden)(
  JSON.parse(readFileSync(new URL("./golden/chain.json", import.meta.url), "utf8")),
)

it("reproduces the recorded hashes", () => {
  expect(rows.length).toBeGreaterThan(6)
  let previous = noHash
  for (const row of rows) {
    expect(hashRow(previous, row)).toBe(row.hash)
    // The same without a word of ours.
    const { body, branch, correlationId, position, time, version } = row
    const text = canonicalJson({ body: JSON.parse(body), branch, correlationId, position, time, version })
    expect(hashInput(previous, row)).toBe(`${previous}\n${text}`)
    expect(createHash("sha256").update(`${previous}\n${text}`).digest("hex")).toBe(row.hash)
    previous = row.hash
  }
  expect(rows.reduce(extendStripDigest, "")).toBe(stripped)
})

it.live("verifies a recorded journal with checkpoints", () =>
  Effect.gen(function* () {
    const store = new ReferenceStore()
    // As it stood once: the bodies of 2 and 3 were pruned.
    store.rows = rows.map((row) => row.position === 2 || row.position === 3 ? { ...row, body: "" } : row)
    const journal = yield* makeJournal(store.open())
    const report = yield* journal.verify({ expect: { position: 1, hash: rows[0]?.hash ?? "" } })
    expect(report).toMatchObject({ entries: rows.length - 2, stripped: 2, head: { position: rows.at(-1)?.position } })
    // And then everything up to 2.
    store.rows = store.rows.slice(2)
    expect(yield* journal.verify()).toMatchObject({ stripped: 1, removedThrough: 2 })
  }))
