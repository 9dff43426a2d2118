import { expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { jsonSchemaOf, resolveReference, toJsonObject } from "../../src/base/jsonSchema.ts"

it("leaves out the bounds of safe integers, and keeps others", () => {
  const schema = Schema.Struct({
    any: Schema.Int,
    some: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })),
  })
  expect(jsonSchemaOf(schema, "error")).toEqual({
    type: "object",
    properties: { any: { type: "integer" }, some: { type: "integer", minimum: 1, maximum: 9 } },
    required: ["any", "some"],
    additionalProperties: false,
  })
})

it("keeps parameters that are named like keywords", () => {
  const names = ["properties", "items", "anyOf", "minimum", "required", "not"]
  const schema = Schema.Struct(Object.fromEntries(names.map((name) => [name, Schema.Int])))
  expect(jsonSchemaOf(schema, "error")).toMatchObject({
    properties: Object.fromEntries(names.map((name) => [name, { type: "integer" }])),
  })
})

it("writes a non-empty array as an array with at least one item, and a tuple as a tuple", () => {
  expect(jsonSchemaOf(Schema.Struct({ a: Schema.NonEmptyArray(Schema.String) }), "ignore")).toMatchObject({
    properties: { a: { type: "array", items: { type: "string" }, minItems: 1 } },
  })
  expect(JSON.stringify(jsonSchemaOf(Schema.Struct({ a: Schema.NonEmptyArray(Schema.String) }), "ignore"))).not
    .toContain("prefixItems")
  expect(jsonSchemaOf(Schema.Struct({ a: Schema.Tuple([Schema.String, Schema.Int]) }), "ignore")).toMatchObject({
    properties: { a: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }] } },
  })
})

it("resolves a reference at the root, and keeps the definitions that are needed", () => {
  class Point extends Schema.Class<Point>("Point")({ x: Schema.Int }) {}
  expect(jsonSchemaOf(Point, "error")).toEqual({
    type: "object",
    properties: { x: { type: "integer" } },
    required: ["x"],
    additionalProperties: false,
  })
  interface Tree {
    readonly children: ReadonlyArray<Tree>
  }
  const Tree: Schema.Codec<Tree> = Schema.Struct({
    children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree)),
  }).annotate({ identifier: "Tree" })
  const tree = jsonSchemaOf(Tree, "error")
  expect(tree).toMatchObject({
    type: "object",
    properties: { children: { items: { $ref: "#/$defs/Tree" } } },
    $defs: { Tree: { type: "object" } },
  })
})

it("finds definitions whose names have characters of paths", () => {
  const part = Schema.Struct({ x: Schema.Int }).annotate({ identifier: "a/b~c d" })
  const schema = jsonSchemaOf(Schema.Struct({ one: part, two: part }), "error")
  const one = toJsonObject(toJsonObject(schema["properties"])["one"])
  expect(resolveReference(one, toJsonObject(schema["$defs"]))).toMatchObject({ properties: { x: { type: "integer" } } })
})

it("writes an object without fields as one", () => {
  expect(jsonSchemaOf(Schema.Struct({}), "error")).toEqual({
    type: "object",
    properties: {},
    additionalProperties: false,
  })
})
