/** Validates and copies the fields of a command without a Schema. */
import * as Duration from "effect/Duration"
import type * as Schema from "effect/Schema"
import { isRecord } from "../../base/isObject.ts"
import { OptionError, showValue } from "../../base/OptionError.ts"
import type { CommandLimits } from "../CommandLimits.ts"
import type { ExecSchema } from "../execSchema.ts"
import type { ShellExecOptions } from "../ShellExecOptions.ts"
import type { FieldParser } from "./attachSchema.ts"
import { commandIdPattern, commandIdRule } from "./commandId.ts"
import { isSecret } from "./secret.ts"

export type ExecFields = Schema.Schema.Type<ExecSchema>

export type ExecInput = ExecSchema["~type.make.in"]

const isText = (u: unknown): boolean => typeof u === "string"
const isBoolean = (u: unknown): boolean => typeof u === "boolean"
const isWord = (u: unknown): boolean => typeof u === "string" || isSecret(u)
// `every` would skip the holes of a list.
const isWords = (u: unknown): boolean => Array.isArray(u) && u.findIndex((word) => !isWord(word)) === -1
const isCount = (min: number) => (u: unknown): boolean => typeof u === "number" && Number.isSafeInteger(u) && u >= min
const isTime = (isInRange: (millis: number) => boolean) => (u: unknown): boolean => {
  if (!Duration.isDuration(u)) return false
  const millis = Duration.toMillis(u)
  return Number.isFinite(millis) && isInRange(millis)
}

const text = [isText, "must be a string"] as const
const flag = [isBoolean, "must be true or false"] as const
const time = [isTime((millis) => millis > 0), "must be a finite time above zero"] as const
const limit = isCount(1)
export const limits: Readonly<Record<keyof CommandLimits, true>> = {
  memoryBytes: true,
  cpuSeconds: true,
  processes: true,
  fileSizeBytes: true,
}

type Rule = readonly [isValid: (u: unknown) => boolean, rule: string]

/** The rule of each option, and of other fields, in the order of the Schema. */
const rules: Readonly<Record<keyof ShellExecOptions | "_tag" | "command" | "arguments", Rule>> = {
  _tag: [(u) => u === "ShellExec", "must be ShellExec"],
  commandId: [(u) => typeof u === "string" && commandIdPattern.test(u), `must be ${commandIdRule}`],
  command: text,
  arguments: [isWords, "must be a list of strings and secrets"],
  cwd: text,
  env: [
    (u) => isRecord(u) && Object.values(u).every((value) => value === null || isWord(value)),
    "must have a string, a secret or null for each name",
  ],
  extendEnv: flag,
  timeout: time,
  idleTimeout: time,
  grace: [isTime((millis) => millis >= 0), "must be a finite time, zero or above"],
  streamOutput: flag,
  useShell: flag,
  shell: [(u) => u === "system" || u === "portable", 'must be "system" or "portable"'],
  mergeStreams: flag,
  localBin: flag,
  encoding: text,
  input: [(u) => isWord(u) || u instanceof Uint8Array, "must be a string, bytes or a secret"],
  maxOutputBytes: [isCount(0), "must be a whole number from 0"],
  limits: [
    (u) => isRecord(u) && Object.entries(u).every(([name, value]) => !Object.hasOwn(limits, name) || limit(value)),
    "must have a whole number from 1 for each name",
  ],
  onHostLoss: [(u) => u === "fault" || u === "rerun", 'must be "fault" or "rerun"'],
}

const { _tag, arguments: _arguments, command: _command, ...optionRules } = rules

export const execOptionNames: Readonly<Record<keyof ShellExecOptions, unknown>> = optionRules

/** The fields whose names differ from their options: encoded commands keep the names of the specification. */
const longNames: Readonly<Record<string, string>> = {
  cwd: "workingDirectory",
  env: "environment",
  extendEnv: "inheritEnvironment",
}

const fieldRules = Object.entries(rules).map(([name, rule]): readonly [string, Rule] => [longNames[name] ?? name, rule])

const required = ["commandId", "command", "arguments", "streamOutput", "useShell"] as const

const knownLimits = (given: object): object =>
  Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(limits, name)))

/** Copies the lists of a field: a caller may change its own later. */
const copyOf = (name: string, value: unknown): unknown => {
  if (Array.isArray(value)) return [...value]
  if (name === "environment" && isRecord(value)) return { ...value }
  return name === "limits" && isRecord(value) ? knownLimits(value) : value
}

const isComplete = (copy: Readonly<Record<string, unknown>>): copy is Readonly<Record<string, unknown>> & ExecFields =>
  required.every((name) => copy[name] !== undefined)

/**
 * Validates fields without a Schema. Where a Schema is attached, `parseWithSchema` decides on all fields that are
 * refused here: it accepts a few more, and its error has the details.
 */
export const execParser: FieldParser<ExecInput, ExecFields> & {
  parseWithSchema?: FieldParser<ExecInput, ExecFields>["parse"]
} = {
  parse: (fields, options) => {
    if (!isRecord(fields)) {
      return refuse(fields, options, "command", `the fields must be an object${insteadOf(fields)}`)
    }
    const copy: Record<string, unknown> = { _tag: "ShellExec" }
    for (const [name, [isValid, rule]] of fieldRules) {
      const value: unknown = Reflect.get(fields, name)
      if (value === undefined && !(name in fields)) continue
      if (!isValid(value)) return refuse(fields, options, name, `${name} ${rule}${insteadOf(value)}`)
      copy[name] = copyOf(name, value)
    }
    if (isComplete(copy)) return copy
    const missing = required.find((name) => copy[name] === undefined) ?? "command"
    return refuse(fields, options, missing, `${missing} is missing`)
  },
}

/** Names a wrong value in a message. The text of an object says nothing. */
const insteadOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? "" : `, got ${showValue(value)}`

const refuse = (
  fields: ExecInput,
  options: Schema.MakeOptions | undefined,
  name: string,
  problem: string,
): ExecFields => {
  if (execParser.parseWithSchema !== undefined) return execParser.parseWithSchema(fields, options)
  throw new OptionError(name, `ShellExec: ${problem}`)
}
