/** Declares the Schemas of the fields of an access policy and of its argument rules. */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { quote } from "../base/quote.ts"
import { didYouMean, findSimilar } from "../base/findNearest.ts"
import { isAbsolutePath } from "../base/isAbsolutePath.ts"
import { Time } from "../command/execSchema.ts"

const Text: Schema.String = Schema.String.check(
  Schema.makeFilter((text: string) => text !== "" && !/[\0\r\n]/.test(text) ? undefined : "a string on one line"),
)

/** Schema of one allowed command: a name, an absolute path, or `*`. */
const CommandEntry: Schema.String = Text.check(
  Schema.makeFilter((entry: string) => {
    if (isAbsolutePath(entry)) return undefined
    return /[\s/\\]/.test(entry) || (entry.includes("*") && entry !== "*")
      ? `a command's name, an absolute path or "*": ${quote(entry)} is not one (arguments go into argumentRules)`
      : undefined
  }),
)

const Folder: Schema.String = Text.check(
  Schema.makeFilter((path: string) => isAbsolutePath(path) ? undefined : "the absolute path of a folder"),
)

const VariablePattern: Schema.String = Text.check(
  Schema.makeFilter((name: string) => name.includes("=") ? "a variable's name, with * for any characters" : undefined),
)

/** A rule for the arguments of a command: any Schema, whose type the arguments must have. */
export type ArgumentRule = Schema.Schema<ReadonlyArray<string>>

const isRule = (u: unknown): u is ArgumentRule => Schema.isSchema(u)

const Rule: Schema.declare<ArgumentRule> = Schema.declare(isRule, { identifier: "Schema of arguments" })

const names: Schema.optionalKey<Schema.$Array<Schema.String>> = Schema.optionalKey(Schema.Array(VariablePattern))

/** A Struct that refuses unknown keys: a misspelt setting would leave its bound open. */
export const closedStruct = <Fields extends Schema.Struct.Fields>(fields: Fields): Schema.Struct<Fields> => {
  const struct = Schema.Struct(fields)
  const names = Object.keys(fields)
  const known = Schema.Record(Schema.String, Schema.Unknown).check(Schema.makeFilter((given: object) => {
    const unknown = Object.keys(given).find((name) => !names.includes(name))
    return unknown === undefined ? undefined : `no setting ${quote(unknown)}${didYouMean(findSimilar(unknown, names))}`
  }))
  return struct.rebuild(SchemaAST.decodeTo(known.ast, struct.ast, SchemaTransformation.passthrough()))
}

export type EnvironmentRuleFields = {
  readonly allow: Schema.optionalKey<Schema.$Array<typeof Schema.String>>
  readonly deny: Schema.optionalKey<Schema.$Array<typeof Schema.String>>
  readonly inherit: Schema.optionalKey<Schema.$Array<typeof Schema.String>>
}

export type AccessPolicyFields = {
  readonly allowedCommands: Schema.$Array<typeof Schema.String>
  readonly allowedCwdRoots: Schema.optionalKey<Schema.$Array<typeof Schema.String>>
  readonly defaultCwd: Schema.optionalKey<typeof Schema.String>
  readonly environment: Schema.optionalKey<Schema.Struct<EnvironmentRuleFields>>
  readonly argumentRules: Schema.optionalKey<Schema.$Record<typeof Schema.String, typeof Rule>>
  readonly redirects: Schema.optionalKey<Schema.Literals<readonly ["none", "read", "roots", "all"]>>
  readonly code: Schema.optionalKey<Schema.Literals<readonly ["allow", "refuse"]>>
  readonly defaultTimeout: Schema.optionalKey<typeof Schema.DurationFromMillis>
  readonly maxTimeout: Schema.optionalKey<typeof Schema.DurationFromMillis>
  readonly maxOutputBytes: Schema.optionalKey<typeof Schema.Int>
  readonly searchPath: Schema.optionalKey<typeof Schema.String>
  readonly readable: Schema.optionalKey<Schema.$Array<typeof Schema.String>>
  readonly utilities: Schema.optionalKey<Schema.Literals<readonly ["host", "contained"]>>
}

export const accessPolicyFields: AccessPolicyFields = {
  allowedCommands: Schema.Array(CommandEntry),
  allowedCwdRoots: Schema.optionalKey(Schema.Array(Text)),
  defaultCwd: Schema.optionalKey(Text),
  environment: Schema.optionalKey(closedStruct({ allow: names, deny: names, inherit: names })),
  argumentRules: Schema.optionalKey(Schema.Record(Schema.String, Rule)),
  redirects: Schema.optionalKey(Schema.Literals(["none", "read", "roots", "all"])),
  code: Schema.optionalKey(Schema.Literals(["allow", "refuse"])),
  defaultTimeout: Schema.optionalKey(Time),
  maxTimeout: Schema.optionalKey(Time),
  maxOutputBytes: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  searchPath: Schema.optionalKey(Text),
  readable: Schema.optionalKey(Schema.Array(Folder)),
  utilities: Schema.optionalKey(Schema.Literals(["host", "contained"])),
}

export type AccessPolicySettings = Schema.Struct<AccessPolicyFields>["Type"]
