/** Calls as models really make them, and what a fault says of each. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { editFile, readFile, runCommand, Spell, writeFile } from "../../src/spell/mod.ts"

const search = Spell.make({
  name: "search",
  description: "Searches.",
  parameters: Schema.Struct({
    query: Schema.String,
    order: Schema.optionalKey(Schema.Literals(["newest", "oldest"])),
    within: Schema.optionalKey(Schema.Union([
      Schema.Struct({ kind: Schema.Literal("folder"), path: Schema.String }),
      Schema.Struct({ kind: Schema.Literal("days"), count: Schema.Int }),
    ])),
  }),
  success: Schema.Null,
  cast: () => Effect.succeed(null),
})

type AnySpell = Spell.Spell<string, unknown>

interface Call {
  readonly what: string
  readonly spell: AnySpell
  readonly given: Schema.Json
  /** What the fault says. */
  readonly says: ReadonlyArray<string>
  /** The call that it shows. */
  readonly example: Schema.Json
}

const edits = [{ oldText: "a", newText: "b" }]

const calls: ReadonlyArray<Call> = [
  {
    what: "the names of other tools",
    spell: runCommand,
    given: { cmd: "echo", args: ["x"] },
    says: ['"command" is missing, perhaps meant by "cmd"', '"args" is not a parameter; did you mean "arguments"?'],
    example: { command: "echo", arguments: ["x"] },
  },
  {
    what: "the name of the program in another tool",
    spell: runCommand,
    given: { file: "echo", args: ["x"] },
    says: ['"command" is missing, perhaps meant by "file"'],
    example: { command: "echo", arguments: ["x"] },
  },
  {
    what: "one name of another tool",
    spell: runCommand,
    given: { command: "echo", args: ["x"] },
    says: ['"args" is not a parameter; did you mean "arguments"?'],
    example: { command: "echo", arguments: ["x"] },
  },
  {
    what: "file for path",
    spell: readFile,
    given: { file: "a" },
    says: ['"path" is missing, perhaps meant by "file"'],
    example: { path: "a" },
  },
  {
    what: "file_path for path",
    spell: writeFile,
    given: { file_path: "a", content: "x" },
    says: ['"path" is missing, perhaps meant by "file_path"'],
    example: { path: "a", content: "x" },
  },
  {
    what: "a short name that is near another one",
    spell: runCommand,
    given: { command: "echo", cud: "x" },
    says: ['"cud" is not a parameter. Expected'],
    example: { command: "echo" },
  },
  {
    what: "a number as a string",
    spell: readFile,
    given: { path: "a", firstLine: "2" },
    says: ['"firstLine": expected number, got the string "2"'],
    example: { path: "a", firstLine: 2 },
  },
  {
    what: "a boolean as a string",
    spell: writeFile,
    given: { path: "a", content: "x", append: "true" },
    says: ['"append": expected boolean, got the string "true"'],
    example: { path: "a", content: "x", append: true },
  },
  {
    what: "a fraction for a whole number",
    spell: readFile,
    given: { path: "a", firstLine: 1.5 },
    says: ['"firstLine": expected an integer, got 1.5'],
    example: { path: "a", firstLine: 2 },
  },
  {
    what: "a number out of its range",
    spell: readFile,
    given: { path: "a", firstLine: 0 },
    says: ['"firstLine": expected a value greater than 0, got 0'],
    example: { path: "a", firstLine: 1 },
  },
  {
    what: "a number for text",
    spell: writeFile,
    given: { path: "a", content: 42 },
    says: ['"content": expected string, got 42'],
    example: { path: "a", content: "42" },
  },
  {
    what: "JSON in a string",
    spell: editFile,
    given: { path: "a", edits: JSON.stringify(edits) },
    says: ['"edits": expected array, got the string', "give the JSON itself, not a string of it"],
    example: { path: "a", edits },
  },
  {
    what: "all arguments in a string",
    spell: readFile,
    given: '{"path":"a"}',
    says: ["the arguments: expected object, got the string", "give the JSON itself"],
    example: { path: "a" },
  },
  {
    what: "arguments within arguments",
    spell: readFile,
    given: { arguments: { path: "a", firstLine: 3 } },
    says: ['"arguments" is not a parameter', '"path" is missing'],
    example: { path: "a", firstLine: 3 },
  },
  {
    what: "one thing for a list",
    spell: editFile,
    given: { path: "a", edits: { oldText: "a", newText: "b" } },
    says: ['"edits": expected array, got an object'],
    example: { path: "a", edits },
  },
  {
    what: "text for a list",
    spell: runCommand,
    given: { command: "git", arguments: "status" },
    says: ['"arguments": expected array, got the string "status"'],
    example: { command: "git", arguments: ["status"] },
  },
  {
    what: "a list for the arguments",
    spell: runCommand,
    given: ["git", "status"],
    says: ["the arguments: expected object, got an array"],
    example: { command: "<command>" },
  },
  {
    what: "nothing",
    spell: readFile,
    given: null,
    says: ["the arguments: expected object, got null"],
    example: { path: "<path>" },
  },
  {
    what: "a missing parameter",
    spell: writeFile,
    given: { path: "a" },
    says: ['"content" is missing'],
    example: { path: "a", content: "<content>" },
  },
  {
    what: "null for a required parameter",
    spell: writeFile,
    given: { path: "a", content: null, append: null },
    says: ['"content": expected string, got null'],
    example: { path: "a", content: "<content>" },
  },
  {
    what: "a parameter that is not there",
    spell: readFile,
    given: { path: "a", encoding: "utf-8" },
    says: ['"encoding" is not a parameter'],
    example: { path: "a" },
  },
  {
    what: "another spelling",
    spell: readFile,
    given: { Path: "a", first_line: 2 },
    says: ['"path" is missing, perhaps meant by "Path"', '"first_line" is not a parameter; did you mean "firstLine"?'],
    example: { path: "a", firstLine: 2 },
  },
  {
    what: "a misspelt name",
    spell: readFile,
    given: { paht: "a" },
    says: ['perhaps meant by "paht"', '"paht" is not a parameter; did you mean "path"?'],
    example: { path: "a" },
  },
  {
    what: "names of another tool, deep inside",
    spell: editFile,
    given: { path: "a", edits: [{ old_text: "a", new_text: "b" }] },
    says: ['"edits.0.oldText" is missing, perhaps meant by "old_text"', '"edits.0.new_text" is not a parameter'],
    example: { path: "a", edits },
  },
  {
    what: "an empty list",
    spell: editFile,
    given: { path: "a", edits: [] },
    says: ['"edits.0" is missing'],
    example: { path: "a", edits: [{ oldText: "<oldText>", newText: "<newText>" }] },
  },
  {
    what: "a wrong type deep inside",
    spell: editFile,
    given: { path: "a", edits: [{ oldText: 1, newText: "b" }] },
    says: ['"edits.0.oldText": expected string, got 1'],
    example: { path: "a", edits: [{ oldText: "1", newText: "b" }] },
  },
  {
    what: "another case for one of some words",
    spell: search,
    given: { query: "q", order: "Newest" },
    says: ['"order": expected "newest" | "oldest", got the string "Newest"'],
    example: { query: "q", order: "newest" },
  },
  {
    what: "a mistake inside one of some shapes",
    spell: search,
    given: { query: "q", within: { kind: "days", count: "7" } },
    says: ['"within.count": expected number, got the string "7"'],
    example: { query: "q", within: { kind: "days", count: 7 } },
  },
]

const messageOf = (spell: AnySpell, given: Schema.Json): string => {
  const decoded = spell.decode(given)
  return Result.isFailure(decoded) ? decoded.failure.message : ""
}

describe("a fault of wrong arguments", () => {
  for (const { example, given, says, spell, what } of calls) {
    it(`names and explains how to fix ${what}`, () => {
      const message = messageOf(spell, given)
      for (const part of says) expect(message).toContain(part)
      expect(message).toContain(". Expected { ")
      const shown: Schema.Json = JSON.parse(/\. Example: (.*)$/s.exec(message)?.[1] ?? "null")
      expect(shown).toEqual(example)
      // The call that is shown is one that the spell takes.
      expect(spell.decode(shown)).toMatchObject({ _tag: "Success" })
    })
  }

  it("describes the whole shape, in depth", () => {
    expect(messageOf(editFile, {})).toContain(
      "Expected { path: string, edits: array of { oldText: string, newText: string, replaceAll?: boolean } }",
    )
    expect(messageOf(search, {})).toContain(
      'within?: { kind: "folder", path: string } | { kind: "days", count: integer } }',
    )
  })

  it("stays short, however long the arguments are", () => {
    const long = "x".repeat(100_000)
    const names = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`${long.slice(0, 50)}${index}`, long]),
    )
    expect(messageOf(writeFile, { path: long, content: 1 }).length).toBeLessThan(2_000)
    expect(messageOf(writeFile, { ...names, path: 1 }).length).toBeLessThan(2_000)
    expect(messageOf(writeFile, { path: 1, content: long })).toContain(
      'Example: {"path":"<path>","content":"<content>"}',
    )
  })
})
