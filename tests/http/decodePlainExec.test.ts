import { expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { decodePlainExec } from "../../src/http/decodePlainExec.ts"

const decode = Schema.decodeUnknownResult(ShellExec, { onExcessProperty: "error" })

/** What may stand in a field: what is right there, and what is not. */
const Anything = Schema.Union([
  Schema.String,
  Schema.Boolean,
  Schema.Int,
  Schema.Null,
  Schema.Array(Schema.Union([Schema.String, Schema.Int])),
])

const Fields = Schema.Struct({
  command: Schema.optionalKey(Anything),
  arguments: Schema.optionalKey(Anything),
  workingDirectory: Schema.optionalKey(Anything),
  streamOutput: Schema.optionalKey(Anything),
  useShell: Schema.optionalKey(Anything),
  timeout: Schema.optionalKey(Anything),
  other: Schema.optionalKey(Anything),
})

/** Fields that are all right, with nothing that is left to the Schema. */
const PlainFields = Schema.Struct({
  command: Schema.String,
  arguments: Schema.optionalKey(Schema.Array(Schema.String)),
  workingDirectory: Schema.optionalKey(Schema.String),
  streamOutput: Schema.optionalKey(Schema.Boolean),
  useShell: Schema.optionalKey(Schema.Boolean),
})

/** A command but for its id, which is another each time. */
const withoutId = ({ commandId: _, ...rest }: ShellExec): object => rest

let decodedRandomFields = 0

it.prop("decodes any fields as their Schema does, or leaves them to it", [
  Schema.Union([PlainFields, Fields]),
], ([fields]) => {
  const plain = decodePlainExec(fields)
  if (plain === undefined) return
  decodedRandomFields++
  const decoded = decode({ _tag: "ShellExec", ...fields })
  expect(plain).toBeInstanceOf(ShellExec)
  expect(plain.commandId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  expect(withoutId(plain)).toEqual(withoutId(Result.getOrThrow(decoded)))
}, { arbitrary: { runs: 500 } })

it("has decoded some of those random fields itself", () => {
  expect(decodedRandomFields).toBeGreaterThan(100)
})

it("knows the commands that nearly all requests are", () => {
  const all: ReadonlyArray<Readonly<Record<string, unknown>>> = [
    { command: "/bin/true" },
    { command: "", arguments: ["", "é \u0000", "\ud83d"] },
    { command: "ls", arguments: ["-l"], workingDirectory: "/srv", streamOutput: false, useShell: false },
    { command: "ls | wc -l", useShell: true },
  ]
  for (const fields of all) {
    const plain = decodePlainExec(fields)
    if (plain === undefined) throw new Error(`${JSON.stringify(fields)} is none`)
    expect(withoutId(plain)).toEqual(withoutId(Result.getOrThrow(decode({ _tag: "ShellExec", ...fields }))))
    expect(Object.keys(plain).sort()).toEqual(
      Object.keys(Result.getOrThrow(decode({ _tag: "ShellExec", ...fields }))).sort(),
    )
  }
})

it("leaves every other field, and every one that is wrong, to the Schema", () => {
  const all: ReadonlyArray<Readonly<Record<string, unknown>>> = [
    {},
    { command: 1 },
    { command: "x", arguments: "y" },
    { command: "x", arguments: ["y", 1] },
    { command: "x", workingDirectory: null },
    { command: "x", streamOutput: "true" },
    { command: "x", useShell: 1 },
    { command: "x", commandId: "c1" },
    { command: "x", timeout: 5 },
    { command: "x", misspelt: true },
    JSON.parse('{"command":"x","__proto__":{"command":"y"}}'),
  ]
  for (const fields of all) expect(decodePlainExec(fields)).toBeUndefined()
})
