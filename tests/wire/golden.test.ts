/** Golden files of every wire version that this package reads: the newest is written exactly, all of them are read. */
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import { FaultReason } from "../../src/command/FaultReason.ts"
import { reveal } from "../../src/command/Secret.ts"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { ShellEvent, ShellFault } from "../../src/command/ShellFault.ts"
import * as Wire from "../../src/wire/mod.ts"
import { answers, events, execs, reasons, secretText } from "./golden/v1/values.ts"

const { encodeEvent } = Wire

const read = (version: number, name: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(new URL(`./golden/v${version}/${name}`, import.meta.url)))
const linesOf = (version: number, name: string): ReadonlyArray<string> =>
  new TextDecoder().decode(read(version, name)).split("\n").slice(0, -1)

/** The versions that this package reads, with the values that their files encode. */
const versions = [{ version: 1, events, execs, answers }]

const eventLines = linesOf(Wire.wireVersion, "events.ndjson")
const execLines = linesOf(Wire.wireVersion, "execs.ndjson")
const decodeAnswer = (name: string, value: unknown): unknown => {
  const schemas: Readonly<Record<string, Schema.Codec<unknown, unknown>>> = {
    CommandInfo: Wire.CommandInfo,
    CommandPage: Wire.CommandPage,
    CommandAccepted: Wire.CommandAccepted,
    InputTaken: Wire.InputTaken,
    Health: Wire.Health,
    Problem: Wire.Problem,
  }
  return Schema.decodeUnknownSync(schemas[name] ?? Schema.Never)(value)
}
const encodeExec = (exec: ShellExec): string => JSON.stringify(Schema.encodeSync(ShellExec)(exec))
const decodeExec = (line: string): ShellExec => Schema.decodeUnknownSync(ShellExec)(JSON.parse(line))

it("has golden files of every supported version", () => {
  const supported = Array.from(
    { length: Wire.wireVersion - Wire.minWireVersion + 1 },
    (_, index) => Wire.minWireVersion + index,
  )
  expect(versions.map(({ version }) => version)).toEqual(supported)
})

it("encodes every event to the bytes of the newest golden files, in every format", () => {
  expect(events.map(encodeEvent)).toEqual(eventLines)
  expect(Wire.Ndjson.toBytes(events)).toEqual(read(Wire.wireVersion, "events.ndjson"))
  expect(Wire.Sse.toBytes(events)).toEqual(read(Wire.wireVersion, "events.sse"))
  expect(Wire.Frames.toBytes(events)).toEqual(read(Wire.wireVersion, "events.frames"))
})

it("encodes every command to the bytes of the newest golden file", () => {
  expect(execs.map(encodeExec)).toEqual(execLines)
})

for (const golden of versions) {
  const { version } = golden
  it.effect(`decodes the events of version ${version} in every format to equal values`, () =>
    Effect.gen(function* () {
      const options = { requireLast: false }
      const decoders = [
        ["events.ndjson", Wire.Ndjson.decode],
        ["events.sse", Wire.Sse.decode],
        ["events.frames", Wire.Frames.decode],
      ] as const
      for (const [name, decode] of decoders) {
        const decoded = yield* Stream.runCollect(decode(Stream.make(read(version, name)), options))
        expect(decoded).toEqual(golden.events)
        // Equality of errors looks at their messages alone.
        expect(decoded.map((event) => ({ ...event }))).toEqual(golden.events.map((event) => ({ ...event })))
      }
    }))

  it(`decodes the answers of version ${version} to equal values`, () => {
    const text = new TextDecoder().decode(read(version, "answers.json"))
    const encoded = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))(text)
    for (const [name, value] of Object.entries(golden.answers)) {
      expect(decodeAnswer(name, encoded[name])).toEqual(value)
    }
    expect(Object.keys(encoded)).toEqual(Object.keys(golden.answers))
  })

  it(`decodes the commands of version ${version}`, () => {
    expect(linesOf(version, "execs.ndjson").map(decodeExec).map(({ command }) => command))
      .toEqual(golden.execs.map(({ command }) => command))
  })
}

it("has every kind of event and every reason in the golden file", () => {
  expect(new Set(events.map((event) => event._tag))).toEqual(
    new Set(["ShellOutputChunk", "Window", "ShellOutput", "ShellFault"]),
  )
  const tags = FaultReason.members.flatMap((member) => "fields" in member ? [member.fields._tag.schema.literal] : [])
  expect(new Set(reasons.map((reason) => reason._tag))).toEqual(new Set(tags))
})

it("gives the same bytes through the event's Schema, in any order of an object's keys", () => {
  const encode = Schema.encodeSync(ShellEvent)
  expect(events.map((event) => JSON.stringify(encode(event)))).toEqual(eventLines)
  const reversed = events.flatMap((event) =>
    event._tag === "ShellFault"
      ? []
      : [Schema.decodeUnknownSync(ShellEvent)(Object.fromEntries(Object.entries(event).reverse()))]
  )
  expect(reversed.map(encodeEvent)).toEqual(eventLines.slice(0, reversed.length))
})

it("decodes commands to equal values, secrets to markers that hold nothing", () => {
  const [plain, script, full, piped] = execLines.map(decodeExec)
  expect(plain).toEqual(execs[0])
  expect(script).toEqual(execs[1])
  expect(full).toBeInstanceOf(ShellExec)
  expect(execLines.slice(4).map(decodeExec)).toEqual(execs.slice(4))
  expect({ ...full, arguments: [], environment: {} }).toEqual({ ...execs[2], arguments: [], environment: {} })
  expect(full?.input).toEqual(Uint8Array.of(0, 1, 127, 128, 255))
  expect(full?.grace === undefined ? 0 : Duration.toMillis(full.grace)).toBe(250.5)
  const secrets = [full?.arguments[1], full?.arguments[2], full?.environment?.["TOKEN"], piped?.input]
  expect(secrets.map(String)).toEqual(["<redacted:header>", "<redacted>", "<redacted>", "<redacted:password>"])
  for (const secret of secrets) {
    if (!Redacted.isRedacted(secret)) throw new Error("a secret came back as something else")
    expect(() => Redacted.value(secret)).toThrow()
  }
  expect(full?.arguments.map(reveal)).toEqual(["-H", undefined, undefined])
})

it("keeps secrets out of every encoding", () => {
  const all = [...eventLines, ...execLines].join("\n")
  expect(all).not.toContain(secretText)
  for (const form of [btoa(secretText), encodeURIComponent(secretText)]) {
    expect(all).not.toContain(form)
  }
  expect(all).toContain('{"_tag":"Redacted","label":"header"}')
})

it("fills in optional fields of a command, with a new id for each", () => {
  const decode = Schema.decodeUnknownSync(ShellExec)
  const one = decode({ _tag: "ShellExec", command: "ls" })
  const two = decode({ _tag: "ShellExec", command: "ls" })
  expect({ ...one, commandId: "" }).toEqual({
    _tag: "ShellExec",
    commandId: "",
    command: "ls",
    arguments: [],
    streamOutput: true,
    useShell: false,
  })
  expect(one.commandId).not.toBe(two.commandId)
})

it("keeps text that looks like an encoding as text", () => {
  for (const input of ['{"_tag":"Bytes","base64":"AAAA"}', "AAAA", ""]) {
    expect(decodeExec(encodeExec(ShellExec.make("cat", [input], { input })))).toMatchObject({
      input,
      arguments: [input],
    })
  }
})

it("decodes a reason of a later version as Unknown with its tag, and encodes that", () => {
  const reason = { _tag: "QuotaExceeded", quota: 3, nested: { deep: [1] } }
  const fault = JSON.parse(encodeEvent(ShellFault.because("c", { _tag: "Unknown" }, "exec: no")))
  const read = Schema.decodeUnknownSync(ShellFault)({ ...fault, reason })
  expect(read.reason).toEqual({ _tag: "Unknown", tag: "QuotaExceeded" })
  expect(read).toMatchObject({ commandId: "c", message: "exec: no" })
  const written = JSON.parse(JSON.stringify(Schema.encodeSync(ShellFault)(read)))
  expect(written.reason).toEqual({ _tag: "Unknown", tag: "QuotaExceeded" })
  expect(Schema.decodeUnknownSync(ShellFault)(written).reason).toEqual(read.reason)
})

it("refuses a known reason whose fields are of the wrong kind", () => {
  const decode = Schema.decodeUnknownResult(FaultReason)
  expect(Result.isFailure(decode({ _tag: "Timeout", kind: "total", afterMillis: "5" }))).toBe(true)
  expect(Result.isFailure(decode({ _tag: 3 }))).toBe(true)
  expect(Result.isFailure(decode({}))).toBe(true)
})
