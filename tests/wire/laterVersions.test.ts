/** Tests messages that a later version may send to this one: new reasons, new events, new fields. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { ShellFault } from "../../src/command/ShellFault.ts"
import { decodeEvent, encodeEvent } from "../../src/wire/mod.ts"
import * as Frames from "../../src/wire/frames.ts"
import * as Ndjson from "../../src/wire/ndjson.ts"
import * as Sse from "../../src/wire/sse.ts"
import { events } from "./golden/v1/values.ts"
import { cut, utf8 } from "./support.ts"

const [chunk, , , , , , output] = events.map(encodeEvent)

const resized = '{"_tag":"ShellResized","commandId":"c","columns":80,"content":""}'
const fault =
  '{"_tag":"ShellFault","commandId":"c","reason":{"_tag":"SandboxDenied","rule":7},"message":"exec: denied",' +
  '"stdout":"","stderr":"","stdoutBytes":0,"stderrBytes":0,"stdoutBytesOmitted":0,"stderrBytesOmitted":0,"host":"x"}'

const frame = (json: string, text = ""): Uint8Array<ArrayBuffer> => {
  const [head, body] = [utf8(json), utf8(text)]
  const bytes = new Uint8Array(8 + head.length + body.length)
  new DataView(bytes.buffer).setUint32(0, head.length)
  new DataView(bytes.buffer).setUint32(4, body.length)
  bytes.set(head, 8)
  bytes.set(body, 8 + head.length)
  return bytes
}

const formats = [
  ["NDJSON", Ndjson.decode, (lines: ReadonlyArray<string>) => utf8(lines.map((line) => `${line}\n`).join(""))],
  [
    "an event stream",
    Sse.decode,
    (lines: ReadonlyArray<string>) => utf8(lines.map((line) => `data: ${line}\n\n`).join("")),
  ],
  [
    "frames",
    Frames.decode,
    (lines: ReadonlyArray<string>) => new Uint8Array(lines.flatMap((line) => [...frame(line)])),
  ],
] as const

for (const [name, decode, encode] of formats) {
  it.effect(`skips events that this version does not know, in ${name}`, () =>
    Effect.gen(function* () {
      const bytes = encode([resized, chunk ?? "", resized, resized, output ?? ""])
      for (const sizes of [[], [7], [bytes.length]]) {
        expect(yield* Stream.runCollect(decode(cut(bytes, sizes)))).toEqual([events[0], events[6]])
      }
    }))

  it.effect(`does not take an unknown event for the end of a run, in ${name}`, () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Stream.runCollect(decode(Stream.make(encode([chunk ?? "", resized])))))
      expect(error.reason._tag).toBe("Truncated")
    }))

  it.effect(`reads a twelfth reason as Unknown with its tag, in ${name}`, () =>
    Effect.gen(function* () {
      const [event] = yield* Stream.runCollect(decode(Stream.make(encode([fault]))))
      expect(event instanceof ShellFault && event.message).toBe("exec: denied")
      expect({ ...event }).toMatchObject({
        _tag: "ShellFault",
        commandId: "c",
        reason: { _tag: "Unknown", tag: "SandboxDenied" },
      })
    }))
}

it.effect("skips an unknown event whose text is transferred separately", () =>
  Effect.gen(function* () {
    const bytes = new Uint8Array([...frame(resized, "text"), ...frame(output ?? "")])
    expect(yield* Stream.runCollect(Frames.decode(Stream.make(bytes)))).toEqual([events[6]])
  }))

it("still refuses invalid events", () => {
  for (const line of ["[]", "7", "null", "{}", '{"_tag":7}', '{"_tag":"ShellOutputChunk"}', '{"tag":"ShellResized"}']) {
    expect([line, Result.isFailure(decodeEvent(line))]).toEqual([line, true])
  }
  expect(decodeEvent(resized)).toEqual(Result.succeed(undefined))
})
