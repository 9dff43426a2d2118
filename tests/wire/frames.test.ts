import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { ShellOutputChunk } from "../../src/command/ShellEvent.ts"
import { type ShellEvent, ShellEvent as ShellEventSchema } from "../../src/command/ShellFault.ts"
import { encodeEvent } from "../../src/wire/mod.ts"
import * as Frames from "../../src/wire/frames.ts"
import { events } from "./golden/v1/values.ts"
import { cut, cutAtOnce, Sizes, utf8 } from "./support.ts"

const all = Frames.toBytes(events)

// By ===, since JSON has no -0.
const equal = Schema.toEquivalence(Schema.Array(ShellEventSchema))

const chunk = (content: string): ShellOutputChunk => ({
  _tag: "ShellOutputChunk",
  commandId: "c1",
  stream: "stdout",
  content,
  timestamp: 1,
  seq: 0,
})

/** A frame of a head and a text, whatever they are. */
const frame = (head: string | Uint8Array, text: string | Uint8Array = ""): Uint8Array<ArrayBuffer> => {
  const [a, b] = [head, text].map((part) => typeof part === "string" ? utf8(part) : part)
  const [first, second] = [a ?? new Uint8Array(), b ?? new Uint8Array()]
  const bytes = new Uint8Array(8 + first.length + second.length)
  new DataView(bytes.buffer).setUint32(0, first.length)
  new DataView(bytes.buffer).setUint32(4, second.length)
  bytes.set(first, 8)
  bytes.set(second, 8 + first.length)
  return bytes
}

const joined = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(parts.flatMap((part) => [...part]))

/** What came before an error, and the error. */
const outcome = (
  stream: Stream.Stream<ShellEvent, { readonly reason: { readonly _tag: string }; readonly message: string }>,
) =>
  Effect.gen(function* () {
    let seen = 0
    const failed = yield* Stream.runForEach(stream, () => Effect.sync(() => seen++)).pipe(
      Effect.match({ onFailure: (error) => `${error.reason._tag}: ${error.message}`, onSuccess: () => "ok" }),
    )
    return { seen, failed }
  })

it.effect.prop(
  "reads the frames that it wrote, wherever the bytes are cut",
  [Sizes],
  ([sizes]) =>
    Effect.gen(function* () {
      expect(yield* Stream.runCollect(Frames.decode(cut(all, sizes)))).toEqual(events)
      expect(yield* Stream.runCollect(Frames.decode(cutAtOnce(all, sizes)))).toEqual(events)
    }),
  { arbitrary: { runs: 30 } },
)

it.effect.prop(
  "decodes any event from frames to an equal one",
  [Schema.Array(ShellEventSchema), Sizes],
  ([values, sizes]) =>
    Effect.gen(function* () {
      const back = yield* Stream.runCollect(Frames.decode(cut(Frames.toBytes(values), sizes), { requireLast: false }))
      expect(equal(back, values)).toBe(true)
      expect(back.map(encodeEvent)).toEqual(values.map(encodeEvent))
    }),
  { arbitrary: { runs: 60 } },
)

it.effect("sends text as bytes, and text that is not well-formed UTF-16 as JSON", () =>
  Effect.gen(function* () {
    const text = 'line\n"quoted"\té 😀\n'
    expect(new TextDecoder().decode(Frames.toBytes([chunk(text)]))).toContain(text)
    for (const content of [text, "", "half \ud83d", "\ude00", "\0"]) {
      const bytes = Frames.toBytes([chunk(content)])
      expect(yield* Stream.runCollect(Frames.decode(Stream.make(bytes), { requireLast: false }))).toEqual([
        chunk(content),
      ])
    }
  }))

it.effect("skips keep-alive frames anywhere", () =>
  Effect.gen(function* () {
    const bytes = joined(
      Frames.keepAlive,
      Frames.keepAlive,
      Frames.toBytes([chunk("a")]),
      Frames.keepAlive,
      Frames.toBytes([chunk("b")]),
    )
    for (const sizes of [[], [3], [bytes.length]]) {
      expect(yield* Stream.runCollect(Frames.decode(cut(bytes, sizes), { requireLast: false })))
        .toEqual([chunk("a"), chunk("b")])
    }
  }))

it.effect("emits the events before an invalid frame, then an error with its number", () =>
  Effect.gen(function* () {
    const good = Frames.toBytes([chunk("x")])
    const bad: ReadonlyArray<readonly [Uint8Array, RegExp]> = [
      [frame("nonsense"), /^InvalidJson: line 2: not JSON$/],
      [frame('{"_tag":"ShellOutputChunk","commandId":"c"}'), /^InvalidEvent: line 2: .*Missing key/s],
      [frame('{"_tag":7}', "text"), /^InvalidEvent: line 2: /],
      [frame("", "text"), /^InvalidJson: line 2: /],
      [
        frame(encodeEvent(events.at(-1) ?? chunk("")), "text"),
        /^InvalidEvent: line 2: a ShellFault has no separate text/,
      ],
      [frame(encodeEvent(chunk("")), Uint8Array.of(0xc3, 0x28)), /^InvalidUtf8: line 2: not UTF-8$/],
      [frame(Uint8Array.of(0x22, 0xc3, 0x22)), /^InvalidUtf8: line 2: not UTF-8$/],
      [frame(" ".repeat(3000), "x".repeat(2000)), /^LineTooLong: line 2: longer than 4096 bytes$/],
      [Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0), /^LineTooLong: line 2: longer than 4096 bytes$/],
      [good.subarray(0, good.length - 1), /^Truncated: line 2: the bytes ended within a frame$/],
      [good.subarray(0, 5), /^Truncated: line 2: the bytes ended within a frame$/],
    ]
    for (const [bytes, expected] of bad) {
      const whole = joined(good, bytes)
      for (const sizes of [[], [7], [whole.length]]) {
        const got = yield* outcome(Frames.decode(cut(whole, sizes), { maxLineBytes: 4096, requireLast: false }))
        expect(got.failed).toMatch(expected)
        expect(got.seen).toBe(1)
      }
    }
  }))

it.effect("reports frames that end before the last event as broken off", () =>
  Effect.gen(function* () {
    const { failed } = yield* outcome(Frames.decode(Stream.make(Frames.toBytes([chunk("x")]))))
    expect(failed).toBe("Truncated: the bytes ended before the last event of the run")
  }))
