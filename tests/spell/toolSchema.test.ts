import { describe, expect, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { Spell, Spellbook, type ToolDialect, toolSchema } from "../../src/spell/mod.ts"
import { random } from "../support/random.ts"
import { builtinSpells } from "./builtinBook.ts"
import { geminiMetaSchema, openAiMetaSchema } from "./metaSchemas.ts"
import { sample } from "./sample.ts"

const dialects: ReadonlyArray<ToolDialect> = ["openai", "gemini", "mcp"]

const goldenFile = (dialect: ToolDialect): URL => new URL(`./golden/${dialect}.json`, import.meta.url)
const current = (dialect: ToolDialect) =>
  Object.fromEntries(builtinSpells.map((spell) => [spell.name, toolSchema(spell, dialect) ?? null]))

/** A spell that gives back its parameters, encoded. */
const echo = <P>(parameters: Schema.Codec<P, unknown>) =>
  Spell.make({
    name: "echo",
    description: "Gives back its parameters.",
    parameters,
    success: parameters,
    cast: (given) => Effect.succeed(given),
  })

const castEcho = <P>(parameters: Schema.Codec<P, unknown>, input: Schema.Json) =>
  Effect.runPromise(echo(parameters).cast(input, { correlationId: "call" }))

describe("the schema of a spell's parameters", () => {
  // To write the golden files anew: SLUICE_WRITE_GOLDEN=1 with this test, and read the difference.
  for (const dialect of dialects) {
    it(`is that of the golden file for every built-in spell: ${dialect}`, () => {
      if (process.env["SLUICE_WRITE_GOLDEN"] === "1") {
        mkdirSync(new URL(".", goldenFile(dialect)), { recursive: true })
        writeFileSync(goldenFile(dialect), `${JSON.stringify(current(dialect), null, 2)}\n`)
      }
      expect(builtinSpells.length).toBeGreaterThanOrEqual(6)
      expect(current(dialect)).toEqual(JSON.parse(readFileSync(goldenFile(dialect), "utf8")))
    })
  }

  it("is one that an independent validator accepts", () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true })
    const isOpenAi = ajv.compile(openAiMetaSchema)
    const isGemini = ajv.compile(geminiMetaSchema)
    for (const spell of builtinSpells) {
      ajv.compile(toolSchema(spell, "mcp"))
      expect(isOpenAi(toolSchema(spell, "openai")), `${spell.name}: ${ajv.errorsText(isOpenAi.errors)}`).toBe(true)
      const gemini = toolSchema(spell, "gemini")
      expect(gemini === undefined || isGemini(gemini), `${spell.name}: ${ajv.errorsText(isGemini.errors)}`).toBe(true)
    }
    // The meta-schemas can say no.
    const plain = { type: "object", properties: { a: { type: "string", minLength: 1 } }, additionalProperties: false }
    expect(isOpenAi(plain)).toBe(false)
    expect(isGemini(plain)).toBe(false)
  })
})

describe("an answer of a strict model", () => {
  const parameters = Schema.Struct({
    path: Schema.String,
    limit: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0))),
    note: Schema.optionalKey(Schema.NullOr(Schema.String)),
    mode: Schema.optionalKey(Schema.Literals(["fast", "slow"])),
    edits: Schema.Array(Schema.Struct({ text: Schema.String, all: Schema.optionalKey(Schema.Boolean) })),
    target: Schema.optionalKey(Schema.Union([
      Schema.Struct({ kind: Schema.Literal("line"), line: Schema.Int, column: Schema.optionalKey(Schema.Int) }),
      Schema.Struct({ kind: Schema.Literal("end"), trim: Schema.optionalKey(Schema.Boolean) }),
    ])),
  })

  it("decodes null as an omitted field, and keeps it where the Schema has null", async () => {
    const edits = [{ text: "a", all: null }]
    expect(await castEcho(parameters, { path: "p", limit: null, note: null, mode: null, edits, target: null })).toEqual(
      {
        path: "p",
        note: null,
        edits: [{ text: "a" }],
      },
    )
    const target = { kind: "line", line: 1, column: null }
    expect(await castEcho(parameters, { path: "p", edits: [], target })).toEqual({
      path: "p",
      edits: [],
      target: { kind: "line", line: 1 },
    })
  })

  it("is refused where a required parameter is null", async () => {
    const failure = await Effect.runPromise(
      Effect.flip(echo(parameters).cast({ path: null, edits: [] }, { correlationId: "call" })),
    )
    expect(failure.message).toContain('"path"')
  })

  it("decodes every answer that its schema permits (1,000 random answers)", async () => {
    const schema = toolSchema(echo(parameters), "openai")
    const isValid = new Ajv2020({ strict: false }).compile(schema)
    for (let seed = 0; seed < 1_000; seed++) {
      const answer = sample(schema, random(seed))
      expect(isValid(answer), JSON.stringify(answer)).toBe(true)
      await castEcho(parameters, answer)
    }
  })

  it("decodes for every built-in spell (50 random answers each)", () => {
    const ajv = new Ajv2020({ strict: false })
    for (const spell of builtinSpells) {
      const schema = toolSchema(spell, "openai")
      const isValid = ajv.compile(schema)
      for (let seed = 0; seed < 50; seed++) {
        const answer = sample(schema, random(seed))
        expect(isValid(answer), `${spell.name} ${JSON.stringify(answer)}`).toBe(true)
        expect(spell.decode(answer), `${spell.name} ${JSON.stringify(answer)}`).toMatchObject({ _tag: "Success" })
      }
    }
  })
})

describe("a type that a dialect cannot express", () => {
  const odd = echo(Schema.Struct({
    labels: Schema.Record(Schema.String, Schema.Int),
    pairs: Schema.Array(Schema.Struct({ pair: Schema.Tuple([Schema.String, Schema.Int]) })),
    any: Schema.Json,
  }))
  interface Tree {
    readonly children: ReadonlyArray<Tree>
  }
  const Tree: Schema.Codec<Tree> = Schema.Struct({
    children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree)),
  }).annotate({ identifier: "Tree" })

  it("is named when the book is checked, with its path", () => {
    const book = Spellbook.make(odd)
    expect(Spellbook.check(book, "mcp")).toBe(book)
    for (const dialect of ["openai", "gemini"] as const) {
      const message = (() => {
        try {
          Spellbook.check(book, dialect)
          return ""
        } catch (error) {
          return error instanceof Error ? error.message : ""
        }
      })()
      expect(message).toContain(`${dialect} cannot express echo, parameter labels: a record with any keys`)
      expect(message).toContain(`${dialect} cannot express echo, parameter pairs[].pair: a tuple`)
      expect(message).toContain(`${dialect} cannot express echo, parameter any: any value`)
    }
    expect(() => toolSchema(odd, "openai")).toThrow("parameter labels")
  })

  it("is a struct that contains itself only for Gemini", () => {
    const spell = echo(Schema.Struct({ tree: Tree }))
    expect(toolSchema(spell, "openai")).toMatchObject({ properties: { tree: { $ref: "#/$defs/Tree" } } })
    expect(() => toolSchema(spell, "gemini")).toThrow("parameter tree.children[]: a struct that contains itself (Tree)")
  })

  it("is a choice of more values than OpenAI takes, in one parameter or in all", () => {
    const choice = (prefix: string, count: number) =>
      Schema.Literals(Array.from({ length: count }, (_, at) => `${prefix}${at}`))
    const spell = echo(Schema.Struct({ a: choice("a", 600), b: choice("b", 600) }))
    expect(() => toolSchema(spell, "openai")).toThrow("parameter b: more than 1000 values")
    expect(toolSchema(spell, "mcp")["type"]).toBe("object")
    expect(toolSchema(echo(Schema.Struct({ a: choice("a", 1_000) })), "openai")["type"]).toBe("object")
  })

  it("is said in the description where it is only a bound, and enforced all the same", async () => {
    const parameters = Schema.Struct({
      name: Schema.String.annotate({ description: "A name" }).check(Schema.isMinLength(3)),
      share: Schema.Finite.check(Schema.isLessThan(1)),
    })
    expect(toolSchema(echo(parameters), "openai")).toMatchObject({
      properties: { name: { type: "string", description: "A name (at least 2 characters)" } },
    })
    expect(toolSchema(echo(parameters), "gemini")).toMatchObject({
      properties: { share: { type: "number", description: "(less than 1)" } },
    })
    await expect(castEcho(parameters, { name: "ab", share: 0 })).rejects.toBeDefined()
  })

  it("is nothing for a spell without parameters, which Gemini gets without a schema", () => {
    const none = echo(Schema.Struct({}))
    expect(toolSchema(none, "mcp")).toEqual({ type: "object", properties: {}, additionalProperties: false })
    expect(toolSchema(none, "openai")).toEqual({
      type: "object",
      properties: {},
      required: [],
      additionalProperties: false,
    })
    expect(toolSchema(none, "gemini")).toBe(undefined)
  })

  it("is everything but an object", () => {
    expect(() => Spellbook.check(Spellbook.make(echo(Schema.String)), "mcp")).toThrow("use Schema.Struct")
  })
})
