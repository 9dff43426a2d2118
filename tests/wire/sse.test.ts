import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ShellFault } from "../../src/command/ShellFault.ts"
import { type SseMessage, sseParser } from "../../src/wire/sseParser.ts"
import { encodeEvent } from "../../src/wire/mod.ts"
import * as Sse from "../../src/wire/sse.ts"
import { events } from "./golden/v1/values.ts"
import { cut, Sizes, utf8 } from "./support.ts"

const encoded = Sse.encode(Stream.fromArray(events)).pipe(Stream.decodeText, Stream.mkString)

/** What the parser makes of bytes, without looking into the data. */
const messages = (bytes: Uint8Array, sizes: ReadonlyArray<number> = [bytes.length], maxLineBytes = 1000) => {
  const seen: Array<SseMessage> = []
  const failures: Array<string> = []
  const parser = sseParser({
    maxLineBytes,
    event: () => {},
    hasFailed: () => failures.length > 0,
    fail: (reason, _message, line) => failures.push(`${reason._tag} ${line}`),
  }, (message) => seen.push(message))
  for (let at = 0, turn = 0; at < bytes.length && failures.length === 0; turn++) {
    const size = sizes[turn % sizes.length] || 1
    parser.push(bytes.slice(at, at + size))
    at += size
  }
  parser.end()
  return { seen, failures }
}

const message = (data: string, event = "message", id = ""): SseMessage => ({ id, event, data })

it.effect.prop("reads its own output, wherever the bytes are cut", [Sizes], ([sizes]) =>
  Effect.gen(function* () {
    const bytes = utf8(yield* encoded)
    expect(yield* Stream.runCollect(Sse.decode(cut(bytes, sizes)))).toEqual(events)
  }), { arbitrary: { runs: 30 } })

it.effect("gives seq as the id of a chunk, toSeq as the id of a window, and no id to the last event of a run", () =>
  Effect.gen(function* () {
    const { seen } = messages(utf8(yield* encoded), undefined, 100_000)
    let last = ""
    for (const [index, event] of events.entries()) {
      if (event._tag === "ShellOutputChunk") last = String(event.seq)
      if (event._tag === "Window") last = String(event.toSeq)
      expect(seen[index]).toEqual({ id: last, event: "message", data: encodeEvent(event) })
    }
    expect((yield* encoded).match(/^id: \d+$/gm)?.length).toBe(6)
  }))

it.effect("writes a fault as the last event", () =>
  Effect.gen(function* () {
    const fault = ShellFault.because("c1", { _tag: "Unknown" }, "exec: broke")
    const text = yield* Sse.encode(Stream.fail(fault)).pipe(Stream.decodeText, Stream.mkString)
    expect(text).toBe(`data: ${encodeEvent(fault)}\n\n`)
    expect(yield* Stream.runCollect(Sse.decode(Stream.make(utf8(text))))).toEqual([fault])
  }))

// The examples of the standard, section 9.2.6 (Interpreting an event stream).
it("reads the standard's own examples as specified", () => {
  expect(messages(utf8("data: YHOO\ndata: +2\ndata: 10\n\n")).seen).toEqual([message("YHOO\n+2\n10")])
  const third = ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event"
  expect(messages(utf8(third)).seen).toEqual([message("first event", "message", "1"), message("second event")])
  expect(messages(utf8("data\n\ndata\ndata\n\ndata:")).seen).toEqual([message(""), message("\n")])
  expect(messages(utf8("data:test\n\ndata: test\n\n")).seen).toEqual([message("test"), message("test")])
  const named = "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\nevent: add\ndata: 113411\n\n"
  expect(messages(utf8(named)).seen).toEqual([
    message("73857293", "add"),
    message("2153", "remove"),
    message("113411", "add"),
  ])
})

it("skips comments, unknown fields, ids with NUL, and an event name without data", () => {
  const odd = ":\n: é\nfoo: bar\nretry: 5\nid: a\0b\nevent: lost\n\nid: 7\ndata: x\n\n"
  expect(messages(utf8(odd)).seen).toEqual([message("x", "message", "7")])
})

it("takes one byte-order mark at the start and no other", () => {
  expect(messages(utf8("\ufeffdata: x\n\n")).seen).toEqual([message("x")])
  expect(messages(utf8("\ufeffdata: x\n\n"), [1]).seen).toEqual([message("x")])
  expect(messages(utf8("\ufeff\ufeffdata: x\n\n")).seen).toEqual([])
  expect(messages(utf8("data: x\n\n\ufeffdata: y\n\n")).seen).toEqual([message("x")])
})

it.prop(
  "finds the same messages with CRLF, LF and CR, wherever the bytes are cut",
  [Schema.Array(Schema.Literals(["data: é", "data", "data:  two", "event: e", "id: 1", ": c", "", "", "x"])), Sizes],
  ([lines, sizes]) => {
    const expected = messages(utf8(lines.map((line) => line + "\n").join(""))).seen
    for (const end of ["\n", "\r", "\r\n"]) {
      const bytes = utf8(lines.map((line) => line + end).join(""))
      expect(messages(bytes).seen).toEqual(expected)
      expect(messages(bytes, sizes).seen).toEqual(expected)
    }
  },
)

it("refuses lines and events that are too long, and bytes that are not UTF-8", () => {
  expect(messages(utf8(`data: ok\n\ndata: ${"x".repeat(100)}`), undefined, 20)).toEqual({
    seen: [message("ok")],
    failures: ["LineTooLong 3"],
  })
  expect(messages(utf8("data: 123456\n".repeat(3)), [5], 30).failures).toEqual(["LineTooLong 3"])
  expect(messages(utf8("data: 123456\n\n".repeat(30)), [5], 30).failures).toEqual([])
  expect(messages(Uint8Array.of(...utf8("data: "), 0xff, 0x0a, 0x0a)).failures).toEqual(["InvalidUtf8 1"])
})

it.effect("skips messages of another name, and says Truncated when an event is not whole", () =>
  Effect.gen(function* () {
    const whole = yield* encoded
    const withPings = `event: ping\ndata: {}\n\n${whole}event: bye\ndata: -\n\n`
    expect(yield* Stream.runCollect(Sse.decode(Stream.make(utf8(withPings))))).toEqual(events)
    // Without its empty line an event is not dispatched, so the run has no last event.
    const cutShort = whole.slice(0, -1).slice(whole.lastIndexOf("data: "))
    const error = yield* Effect.flip(Stream.runCollect(Sse.decode(Stream.make(utf8(cutShort)))))
    expect(error.reason._tag).toBe("Truncated")
  }))

it.effect("emits the events before an invalid one", () =>
  Effect.gen(function* () {
    const text = `data: ${encodeEvent(events[0] ?? events[1]!)}\n\ndata: {\n\n`
    const seen: Array<string> = []
    const error = yield* Sse.decode(Stream.make(utf8(text))).pipe(
      Stream.runForEach((event) => Effect.sync(() => seen.push(event._tag))),
      Effect.flip,
    )
    expect([seen, error.reason._tag, error.line]).toEqual([["ShellOutputChunk"], "InvalidJson", 4])
  }))
