import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type ShellEvent, ShellEvent as ShellEventSchema, ShellFault } from "../../src/command/ShellFault.ts"
import { encodeEvent } from "../../src/wire/mod.ts"
import * as Ndjson from "../../src/wire/ndjson.ts"
import { events } from "./golden/v1/values.ts"
import { cut, cutAtOnce, Sizes, utf8 } from "./support.ts"

const text = events.map((event) => encodeEvent(event) + "\n").join("")
const chunk = text.slice(0, text.indexOf("\n"))
const output = text.split("\n").find((line) => line.includes('"ShellOutput"')) ?? ""
const fault = ShellFault.because("c1", { _tag: "Cancelled", by: "test" }, "exec: cancelled")

// By ===, since JSON has no -0.
const equal = Schema.toEquivalence(Schema.Array(ShellEventSchema))

/** What came before an error, and the error's reason. */
const outcome = (
  stream: Stream.Stream<ShellEvent, { readonly reason: { readonly _tag: string }; readonly message: string }>,
) =>
  Effect.gen(function* () {
    const seen: Array<ShellEvent> = []
    const failed = yield* Stream.runForEach(stream, (event) => Effect.sync(() => seen.push(event))).pipe(
      Effect.match({ onFailure: (error) => `${error.reason._tag}: ${error.message}`, onSuccess: () => "ok" }),
    )
    return { tags: seen.map((event) => event._tag), failed }
  })

it.effect.prop("reads its own output, wherever the bytes are cut", [Sizes], ([sizes]) =>
  Effect.gen(function* () {
    expect(yield* Stream.runCollect(Ndjson.decode(cut(utf8(text), sizes)))).toEqual(events)
    expect(yield* Stream.runCollect(Ndjson.decode(cutAtOnce(utf8(text), sizes)))).toEqual(events)
  }), { arbitrary: { runs: 30 } })

it.effect.prop(
  "decodes any event to an equal one",
  [Schema.Array(ShellEventSchema), Sizes],
  ([values, sizes]) =>
    Effect.gen(function* () {
      const bytes = yield* Stream.mkUint8Array(Ndjson.encode(Stream.fromIterable(values)))
      const back = yield* Stream.runCollect(Ndjson.decode(cut(bytes, sizes), { requireLast: false }))
      expect(equal(back, values)).toBe(true)
      expect(back.map(encodeEvent)).toEqual(values.map(encodeEvent))
    }),
  { arbitrary: { runs: 60 } },
)

it.effect("writes a line per event, and one element for all available events", () =>
  Effect.gen(function* () {
    const bytes = yield* Stream.runCollect(Ndjson.encode(Stream.fromArray(events)))
    expect(bytes.length).toBe(1)
    expect(new TextDecoder().decode(bytes[0])).toBe(text)
  }))

it.effect("writes a fault as the last line, after the events before it", () =>
  Effect.gen(function* () {
    const failing = Stream.concat(Stream.fromArray(events.slice(0, 2)), Stream.fail(fault))
    const lines = (yield* Ndjson.encode(failing).pipe(Stream.decodeText, Stream.mkString)).split("\n")
    expect(lines).toEqual([...events.slice(0, 2).map(encodeEvent), encodeEvent(fault), ""])
  }))

it.effect("pulls no event before the bytes of the previous one were taken", () =>
  Effect.gen(function* () {
    let asked = 0
    const source = Stream.fromIterable(events.slice(0, 5)).pipe(
      Stream.rechunk(1),
      Stream.tap(() => Effect.sync(() => asked++)),
    )
    yield* Ndjson.encode(source).pipe(Stream.take(2), Stream.runDrain)
    expect(asked).toBe(2)
  }))

it.effect("skips empty lines and a byte-order mark, and takes CRLF and a last line without its end", () =>
  Effect.gen(function* () {
    const odd = `\ufeff\r\n${chunk}\r\n\n  \n${chunk}\n${output}`
    for (const bytes of [cut(utf8(odd), []), cut(utf8(odd), [1000])]) {
      expect(yield* outcome(Ndjson.decode(bytes))).toEqual({
        tags: ["ShellOutputChunk", "ShellOutputChunk", "ShellOutput"],
        failed: "ok",
      })
    }
  }))

it.effect("drops unknown keys", () =>
  Effect.gen(function* () {
    const line = chunk.replace("{", '{"fromTheFuture":[1],')
    const back = yield* Stream.runCollect(Ndjson.decode(Stream.make(utf8(line)), { requireLast: false }))
    expect(back).toEqual([events[0]])
  }))

it.effect("emits the events before an invalid line, then an error with its number", () =>
  Effect.gen(function* () {
    const bad: ReadonlyArray<readonly [string | Uint8Array, RegExp]> = [
      ["nonsense\n", /^InvalidJson: line 2: not JSON$/],
      ['{"_tag":"ShellOutputChunk","commandId":"c"}\n', /^InvalidEvent: line 2: .*Missing key\s+at \["stream"\]/s],
      ['{"_tag":7}\n', /^InvalidEvent: line 2: /],
      ["[]\n", /^InvalidEvent: line 2: /],
      [Uint8Array.of(0x22, 0xc3, 0x22, 0x0a), /^InvalidUtf8: line 2: not UTF-8$/],
      ['{"_tag":"ShellOut', /^Truncated: line 2: /],
      [Uint8Array.of(0x22, 0xe2, 0x82), /^Truncated: line 2: /],
      [`${" ".repeat(5000)}\n`, /^LineTooLong: line 2: longer than 4096 bytes$/],
    ]
    for (const [line, expected] of bad) {
      const tail = typeof line === "string" ? utf8(line) : line
      const all = new Uint8Array([...utf8(`${chunk}\n`), ...tail])
      const after = all.at(-1) === 0x0a ? new Uint8Array([...all, ...utf8(`${chunk}\n`)]) : all
      for (const sizes of [[], [after.length]]) {
        const { failed, tags } = yield* outcome(
          Ndjson.decode(cut(after, sizes), { maxLineBytes: 4096, requireLast: false }),
        )
        expect(failed).toMatch(expected)
        expect(tags).toEqual(["ShellOutputChunk"])
      }
    }
  }))

it.effect("never quotes its input in an error", () =>
  Effect.gen(function* () {
    const lines = [
      '{"_tag":"ShellOutputChunk","commandId":"hunter2 x"}',
      "hunter2",
      '{"stream":"hunter2"}',
      '"hunter2"',
    ]
    for (const line of lines) {
      const { failed } = yield* outcome(Ndjson.decode(Stream.make(utf8(line + "\n"))))
      expect(failed).toMatch(/^Invalid/)
      expect(failed).not.toContain("hunter2")
    }
  }))

it.effect("says Truncated when the bytes end before the last event of a run, unless told not to", () =>
  Effect.gen(function* () {
    for (const cutShort of ["", `${chunk}\n`, `${output}\n${chunk}\n`]) {
      const bytes = Stream.make(utf8(cutShort))
      expect((yield* outcome(Ndjson.decode(bytes))).failed).toMatch(/^Truncated: /)
      expect((yield* outcome(Ndjson.decode(bytes, { requireLast: false }))).failed).toBe("ok")
    }
    for (const whole of [`${chunk}\n${output}\n`, `${encodeEvent(fault)}\n`]) {
      expect((yield* outcome(Ndjson.decode(Stream.make(utf8(whole))))).failed).toBe("ok")
    }
  }))

it.effect("passes a failure of the bytes on, after the events that came before it", () =>
  Effect.gen(function* () {
    const bytes = Stream.concat(
      Stream.make(utf8(`${chunk}\n${chunk}`)),
      Stream.fail({ reason: { _tag: "cable" }, message: "cut" }),
    )
    expect(yield* outcome(Ndjson.decode(bytes))).toEqual({ tags: ["ShellOutputChunk"], failed: "cable: cut" })
  }))
