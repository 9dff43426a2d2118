import { describe, expect, it } from "@effect/vitest"
import { asciiContentOf, isAscii, withAsciiContent } from "../../src/base/asciiContent.ts"

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)

describe("an object with ASCII content", () => {
  const chunk = withAsciiContent({ content: "", seq: 1 }, ascii("hello\n"))

  it("has the text, in JSON too", () => {
    expect(chunk.content).toBe("hello\n")
    expect(JSON.stringify(chunk)).toBe(`{"content":"hello\\n","seq":1}`)
    expect(chunk).toEqual({ content: "hello\n", seq: 1 })
  })

  it("decodes them twice at most: a loop may read the text for each of its characters", () => {
    const bytes = ascii("hello")
    const read = withAsciiContent({ content: "" }, bytes)
    expect([read.content, read.content]).toEqual(["hello", "hello"])
    const frozen = Object.freeze(withAsciiContent({ content: "" }, ascii("hello")))
    expect([frozen.content, frozen.content, frozen.content]).toEqual(["hello", "hello", "hello"])
    bytes.fill(0x2a)
    expect([read.content, JSON.stringify(read)]).toEqual(["hello", `{"content":"hello"}`])
  })

  it("gives its bytes, but not to a copy that may have another text", () => {
    expect(asciiContentOf(chunk)).toEqual(ascii("hello\n"))
    const copy = { ...chunk, content: "***" }
    expect(copy).toEqual({ content: "***", seq: 1 })
    expect(asciiContentOf(copy)).toBeUndefined()
    expect(asciiContentOf(structuredClone(chunk))).toBeUndefined()
    expect(asciiContentOf(new Proxy(chunk, {}))).toBeUndefined()
  })

  it("refuses to be read through another object, rather than to be empty", () => {
    const unread = withAsciiContent({ content: "" }, ascii("hello"))
    expect(() => new Proxy(unread, {}).content).toThrow(TypeError)
    expect(unread.content).toBe("hello")
  })
})

it("knows ASCII", () => {
  expect(
    [ascii(""), ascii("a\0\x7f"), ascii("é"), new Uint8Array([0x80])].map(
      isAscii,
    ),
  ).toEqual([
    true,
    true,
    false,
    false,
  ])
})
