import { expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { makeLineReader } from "../../src/base/LineReader.ts"
import { Sizes, utf8 } from "../wire/support.ts"

const read = (ends: "lf" | "any", pieces: ReadonlyArray<Uint8Array>, max = 1000) => {
  const reader = makeLineReader(ends, max)
  const lines: Array<string> = []
  const ok = pieces.every((piece) => reader.push(piece, (line) => lines.push(new TextDecoder().decode(line))))
  return { ok, lines, rest: new TextDecoder().decode(reader.rest()) }
}

const split = (text: string, sizes: ReadonlyArray<number>): Array<Uint8Array> => {
  const bytes = utf8(text)
  const pieces: Array<Uint8Array> = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes.length === 0 ? 1 : sizes[turn % sizes.length] || 1
    pieces.push(bytes.slice(at, at + size))
    at += size
  }
  return pieces
}

const Texts = Schema.Array(Schema.Literals(["a", "\n", "\r", "\r\n", "é€", "", "long enough to be cut"]))

it.prop("ends lines at CRLF, LF and CR however the bytes are cut", [Texts, Sizes], ([parts, sizes]) => {
  const text = parts.join("")
  const expected = text.split(/\r\n|\n|\r/)
  const { lines, rest } = read("any", split(text, sizes))
  expect([...lines, rest]).toEqual(expected)
})

it.prop("ends lines only at LF if configured, and keeps CR", [Texts, Sizes], ([parts, sizes]) => {
  const text = parts.join("")
  const { lines, rest } = read("lf", split(text, sizes))
  expect([...lines, rest]).toEqual(text.split("\n"))
})

it("accepts a line of exactly the maximum length, and refuses one more byte at once", () => {
  for (const pieces of [[utf8("12345\n12345")], split("12345\n12345", [])]) {
    expect(read("any", pieces, 5)).toEqual({ ok: true, lines: ["12345"], rest: "12345" })
  }
  for (const pieces of [[utf8("12345\n123456")], split("12345\n123456", []), [utf8("12345\n1"), utf8("23456\n")]]) {
    const { lines, ok } = read("any", pieces, 5)
    expect({ lines, ok }).toEqual({ lines: ["12345"], ok: false })
  }
})
