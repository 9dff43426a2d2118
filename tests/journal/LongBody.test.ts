import { expect, it } from "@effect/vitest"
import { withAsciiContent } from "../../src/base/asciiContent.ts"
import { canonicalJson } from "../../src/base/canonicalJson.ts"
import { encodeUtf8 } from "../../src/base/bytes.ts"
import { noHash, type Row } from "../../src/journal/Entry.ts"
import { encodeDraft } from "../../src/journal/entryCodec.ts"
import { chainRows, hashRow, isChained } from "../../src/journal/hashChain.ts"
import { longBodyDigest, longBodyJson, toLongBody } from "../../src/journal/LongBody.ts"
import * as Result from "effect/Result"

const long = 'a "line" \\ of é\u{1f600}\u0000\n'.repeat(2_000)
const ascii = "plain\n".repeat(8_000)

const bodies = {
  strings: { _tag: "T", z: long, a: [1, long, null, { b: true, a: "short" }], empty: {}, none: [] },
  ascii: {
    _tag: "T",
    chunks: [withAsciiContent({ content: "", seq: 0 }, encodeUtf8(ascii)), { content: "x", seq: 1 }],
  },
  loneSurrogate: { _tag: "T", text: `\ud800${long}`, other: long },
  likeADigest: { _tag: "T", text: long, hash: "#".repeat(65), other: `#${"0".repeat(64)}` },
}

const rowOf = (body: typeof bodies[keyof typeof bodies]): Row => {
  const draft = { branch: "b", correlationId: "c", body }
  const encoded = Result.getOrThrow(encodeDraft(draft, (body) => toLongBody(body) ?? canonicalJson(body)))
  return chainRows({ position: 0, hash: noHash }, 1, [encoded])[0] ?? expect.fail()
}

it.each(Object.entries(bodies))("keeps the canonical JSON of long texts: %s", (_, body) => {
  const taken = toLongBody(body) ?? expect.fail()
  expect(longBodyJson(taken)).toBe(canonicalJson(body))
  // The JSON says the same as the body, whichever of them the texts are taken from.
  expect(longBodyDigest(toLongBody(JSON.parse(canonicalJson(body))) ?? expect.fail())).toBe(longBodyDigest(taken))
  expect(longBodyDigest(taken).length).toBeLessThan(taken.length)
})

it("leaves other bodies as they are", () => {
  expect(toLongBody({ _tag: "T", text: "x".repeat(32_767) })).toBeUndefined()
  expect(toLongBody({ _tag: "T", texts: Array.from({ length: 100 }, () => "x".repeat(4_095)) })).toBeUndefined()
  expect(toLongBody({ _tag: "T", text: "x".repeat(1024 * 1024) })).toBeUndefined()
  expect(() => toLongBody({ _tag: "T", text: "x".repeat(40_000), number: NaN })).toThrow(TypeError)
})

it("chains a row with long texts by their hashes, and finds each change", () => {
  const row = rowOf(bodies.strings)
  const { body, branch, correlationId, hash, position, tag, time, version } = row
  const stored = { position, time, branch, correlationId, tag, version, hash, body }
  expect(hashRow(noHash, stored)).not.toBe(hash)
  expect(isChained(noHash, stored)).toBe(true)
  expect(isChained("1".repeat(64), stored)).toBe(false)
  for (const from of ["line", '"a":"short"', "null", ":true"]) {
    const to = from === "null" ? "9999" : from.replace(/.(?=.$)/, "~")
    const changed = { ...stored, body: body.replace(from, to) }
    expect(changed.body).not.toBe(body)
    expect(isChained(noHash, changed), from).toBe(false)
  }
  // As JSON the same, and still not what was hashed.
  expect(isChained(noHash, { ...stored, body: body.replace("[1,", "[1, ") })).toBe(false)
  // The digest itself is no body.
  const digest = longBodyDigest(toLongBody(bodies.strings) ?? expect.fail())
  expect(hashRow(noHash, { ...stored, body: digest })).toBe(hash)
  expect(() => JSON.parse(digest)).toThrow(SyntaxError)
})

it("chains a row of plain JSON as before", () => {
  const body = canonicalJson(bodies.strings)
  const row = { position: 1, time: 1, branch: "b", correlationId: "c", tag: "T", version: 1, body, hash: "" }
  expect(isChained(noHash, { ...row, hash: hashRow(noHash, row) })).toBe(true)
})
