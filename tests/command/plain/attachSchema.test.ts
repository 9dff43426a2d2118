import { expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { attachSchema } from "../../../src/command/plain/attachSchema.ts"
import { ShellExec } from "../../../src/command/ShellExec.ts"
import { TemplateError } from "../../../src/command/TemplateError.ts"

const fields = { commandId: "c1", command: "git", arguments: [], streamOutput: true, useShell: false }

/** Makes a command of fields that the types would refuse. */
const make = (given: object): unknown => Reflect.apply(ShellExec.make, undefined, [given])

it("gives a class that a bundler numbered the name of its Schema", () => {
  class Thing$1 {}
  attachSchema(Thing$1, class extends Schema.Class<{}>("Thing")({}) {})
  expect(Thing$1.name).toBe("Thing")
})

it("orders the fields of a command as the Schema does", () => {
  const exec = ShellExec.make({ ...fields, workingDirectory: "/", environment: {} })
  expect(Object.keys(exec).join()).toBe(
    "_tag,commandId,command,arguments,workingDirectory,environment,streamOutput,useShell",
  )
})

it("refuses a list of arguments with holes", () => {
  expect(() => ShellExec.make("echo", new Array<string>(2))).toThrow("arguments[0] is undefined")
  expect(() => make({ ...fields, arguments: new Array<string>(2) })).toThrow('at ["arguments"][0]')
})

it("names a value without text", () => {
  expect(() => make({ ...fields, command: Object.create(null) })).toThrow('Expected string\n  at ["command"]')
  expect(() => make({ ...fields, timeout: Object.create(null) })).toThrow('Expected Duration\n  at ["timeout"]')
})

it("skips only the checks of the Schema where they are disabled, not its types", () => {
  expect(new ShellExec({ ...fields, maxOutputBytes: -1 }, { disableChecks: true }).maxOutputBytes).toBe(-1)
  expect(() => Reflect.construct(ShellExec, [{ ...fields, command: 5 }, { disableChecks: true }])).toThrow(
    "Expected string",
  )
})

it("takes all fields that the Schema takes: inherited, not enumerable, an undefined tag", () => {
  class Fields {
    get command() {
      return "git"
    }
  }
  const { command: _, ...others } = fields
  expect(make(Object.assign(new Fields(), others))).toHaveProperty("command", "git")
  expect(make(Object.create(fields))).toHaveProperty("commandId", "c1")
  expect(make({ ...fields, _tag: undefined })).toHaveProperty("_tag", "ShellExec")
})

it("says that a number is no command", () => {
  expect(() => Reflect.apply(ShellExec.make, undefined, [5])).toThrow("Expected object")
})

it("validates the fields of a template error", () => {
  const made = (given: object) => () => Reflect.construct(TemplateError, [given])
  expect(made({ reason: { _tag: "Other" }, message: "x" })).toThrow("Schema validation failed")
  expect(made({})).toThrow("Schema validation failed")
  expect(Object.keys(TemplateError.because("Empty", "x")).join()).toBe("_tag,reason")
})
