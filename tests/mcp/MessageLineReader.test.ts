import { expect, it } from "@effect/vitest"
import { MessageLineReader } from "../../src/mcp/MessageLineReader.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

it("gives each message once it is whole, wherever the bytes were cut", () => {
  const text = '{"jsonrpc":"2.0","a":"ü"}\n\n  \n[{"jsonrpc":"2.0"}]\r\n'
  for (let cut = 0; cut <= bytes(text).length; cut++) {
    const lines = new MessageLineReader(100)
    const given = [...lines.push(bytes(text).slice(0, cut)), ...lines.push(bytes(text).slice(cut))]
    expect(given).toEqual(['{"jsonrpc":"2.0","a":"ü"}\n', '[{"jsonrpc":"2.0"}]\r\n'])
  }
})

it("returns an error for an invalid message, and continues with the next line", () => {
  const given = new MessageLineReader(100).push(bytes('hello\n5\nnull\n[1]\n{"a":1}\n{"jsonrpc":"2.0"}\n'))
  expect(given.map((line) => typeof line === "string" ? line : line.code)).toEqual([
    -32_700,
    -32_600,
    -32_600,
    -32_600,
    -32_600,
    '{"jsonrpc":"2.0"}\n',
  ])
})

it("drops a line that is too long, and continues with the next one", () => {
  const lines = new MessageLineReader(20)
  expect(lines.push(bytes(`"${"x".repeat(100)}`))).toEqual([])
  expect(lines.push(bytes("y".repeat(100)))).toEqual([])
  const given = lines.push(bytes('"\n{"jsonrpc":"2.0"}\n'))
  expect(given).toEqual([{ code: -32_600, message: "mcp: a message has at most 20 bytes" }, '{"jsonrpc":"2.0"}\n'])
})

it("keeps nothing of a line that is too long, however it comes, and reads the next one", () => {
  const lines = new MessageLineReader(20)
  for (let n = 0; n < 100; n++) expect(lines.push(new Uint8Array([0x20]))).toEqual([])
  expect(lines.push(bytes(`\n{"jsonrpc":"2.0"}\n`))).toEqual([
    { code: -32_600, message: "mcp: a message has at most 20 bytes" },
    `{"jsonrpc":"2.0"}\n`,
  ])
})

it("takes a batch of a hundred messages, and none of more", () => {
  const batch = (size: number) => bytes(`${JSON.stringify(Array.from({ length: size }, () => ({ jsonrpc: "2.0" })))}\n`)
  const lines = new MessageLineReader(10_000)
  expect(lines.push(batch(100))).toHaveLength(1)
  expect(lines.push(batch(101))).toEqual([{ code: -32_600, message: "mcp: a batch has at most 100 messages" }])
})

it("gives the last line, where the input ends without a newline", () => {
  const lines = new MessageLineReader(100)
  expect(lines.push(bytes('{"jsonrpc":"2.0"}\njunk'))).toEqual(['{"jsonrpc":"2.0"}\n'])
  expect(lines.end()).toEqual([{ code: -32_700, message: "mcp: a line is not JSON" }])
  expect(lines.end()).toEqual([])
})

it("reports a request without a method, and an invalid id", () => {
  const given = ["null", "{}", "[1]", "true"].map((id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`)
  const lines = new MessageLineReader(100).push(bytes(['{"jsonrpc":"2.0","id":1}\n', ...given].join("")))
  expect(lines.map((line) => typeof line === "string" ? line : line.code)).toEqual(Array(5).fill(-32_600))
  const sound = [
    '{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n',
    '{"jsonrpc":"2.0","id":"","result":{}}\n',
    '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}\n',
  ]
  expect(new MessageLineReader(100).push(bytes(sound.join("")))).toEqual(sound)
})

it("refuses a message of too many levels", () => {
  const nested = (depth: number) => `{"jsonrpc":"2.0","a":${"[".repeat(depth)}${"]".repeat(depth)}}\n`
  const given = new MessageLineReader(1_000_000).push(bytes(nested(100_000) + nested(127)))
  expect(given).toEqual([{ code: -32_600, message: "mcp: a message has at most 128 levels" }, nested(127)])
})
