import { expect, it } from "@effect/vitest"
import type { ChildProcess } from "effect/process"
import { Buffer } from "node:buffer"
import { encodeText } from "../../../../src/leaves/local/spawner/encodeText.ts"

const encodings: ReadonlyArray<ChildProcess.Encoding> = [
  "ascii",
  "utf8",
  "utf-8",
  "utf16le",
  "utf-16le",
  "ucs2",
  "ucs-2",
  "base64",
  "base64url",
  "latin1",
  "binary",
  "hex",
]

const texts = [
  "",
  "plain text",
  "Grüße, 世界 🌍",
  "aGVsbG8=",
  "aGVsbG8",
  "-_-_",
  "+/+/",
  "a GVs\nbG8",
  "A",
  "00ff7Fz0",
  "0",
  "xyz",
]

it.each(encodings)("encodes text in %s as Node does", (encoding) => {
  // Outside of ASCII the runtimes do not agree on what is no base64.
  for (const text of encoding.startsWith("base64") ? texts.filter((each) => /^[ -~\s]*$/.test(each)) : texts) {
    expect(Array.from(encodeText(text, encoding)), JSON.stringify(text)).toEqual(
      Array.from(Buffer.from(text, encoding)),
    )
  }
})
