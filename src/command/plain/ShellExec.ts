/** Declares the class of a command without its Schema, and its constructors. */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { defined } from "../../base/defined.ts"
import { type DurationInput, durationOf } from "../../base/duration.ts"
import { kindOf, OptionError, refuseUnknownOptions } from "../../base/OptionError.ts"
import type { Word } from "../Secret.ts"
import type { ShellExecOptions } from "../ShellExecOptions.ts"
import { parseTemplateWords, type TemplateValue } from "../parseTemplateWords.ts"
import { makeUuidV7 } from "../makeUuidV7.ts"
import { constructorFields, type ConstructorOptions } from "./attachSchema.ts"
import { type ExecFields, type ExecInput, execOptionNames, execParser } from "./execFields.ts"
import { isSecret } from "./secret.ts"

const timeOf = (name: string, time: DurationInput | undefined) =>
  time === undefined ? undefined : durationOf(name, time)

const fieldsOf = (
  command: string,
  args: ReadonlyArray<Word | number>,
  { commandId = makeUuidV7(), cwd, env, extendEnv, streamOutput = true, useShell = false, ...options }:
    ShellExecOptions,
): ExecInput => ({
  commandId,
  command,
  arguments: args.map((word) => typeof word === "number" ? String(word) : word),
  streamOutput,
  useShell,
  ...defined({
    ...options,
    workingDirectory: cwd,
    environment: env,
    inheritEnvironment: extendEnv,
    timeout: timeOf("timeout", options.timeout),
    idleTimeout: timeOf("idleTimeout", options.idleTimeout),
    grace: timeOf("grace", options.grace),
  }),
})

const Base: new (fields: ExecFields) => ExecFields = Data.Class<ExecFields>

/** A command; its documentation is that of the Schema class, which is this class with a Schema. */
export class ShellExec extends Base {
  constructor(fields: ExecInput, options?: ConstructorOptions) {
    super(constructorFields(execParser, fields, options))
  }

  /** Makes a command from a template, from all its fields, or from a program, its arguments and options. */
  static make(strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateValue>): ShellExec
  static make(fields: ExecInput, options?: ConstructorOptions): ShellExec
  static make(command: string, args?: ReadonlyArray<Word | number>, options?: ShellExecOptions): ShellExec
  static make(first: string | TemplateStringsArray | ExecInput, ...rest: ReadonlyArray<unknown>): ShellExec {
    if (isTemplate(first)) {
      const { args, command } = Result.getOrThrow(parseTemplateWords(first, rest))
      return new ShellExec(fieldsOf(command, args, {}))
    }
    if (typeof first !== "string") return new ShellExec(first)
    const [args = [], options = {}] = rest
    if (!isWords(args)) {
      throw new OptionError(
        "args",
        `ShellExec.make: the arguments must be a list, got ${typeof args}: write ["a", "b"]`,
      )
    }
    // `every` would skip the holes of a list.
    const wrong = args.findIndex((word: unknown) =>
      typeof word !== "string" && typeof word !== "number" && !isSecret(word)
    )
    if (wrong !== -1) {
      const what = `arguments[${wrong}] is ${kindOf(args[wrong])}`
      throw new OptionError("args", `ShellExec.make: ${what}; expected a string, a number or a Redacted`)
    }
    return new ShellExec(fieldsOf(first, args, readOptions("ShellExec.make", options)))
  }

  /** Makes a command like another, with some options changed and an id of its own. */
  static with(options: ShellExecOptions): (exec: ShellExec) => ShellExec
  static with(exec: ShellExec, options: ShellExecOptions): ShellExec
  static with(
    ...args: readonly [exec: ShellExec, options: ShellExecOptions] | readonly [options: ShellExecOptions]
  ): ShellExec | ((exec: ShellExec) => ShellExec) {
    if (args.length === 1) return (exec) => ShellExec.with(exec, args[0])
    const [exec, options] = args
    const given = readOptions("ShellExec.with", options)
    return new ShellExec(fieldsOf(exec.command, exec.arguments, { ...optionsOf(exec), ...given }))
  }

  /** Makes a command of a shell script. */
  static shell(script: string, options: ShellExecOptions = {}): ShellExec {
    return new ShellExec(fieldsOf(script, [], { ...readOptions("ShellExec.shell", options), useShell: true }))
  }
}

const optionsOf = (exec: ExecFields): ShellExecOptions => {
  const { environment, inheritEnvironment, workingDirectory } = exec
  const { _tag, arguments: _arguments, command: _command, commandId: _id, ...others } = exec
  return { ...others, cwd: workingDirectory, env: environment, extendEnv: inheritEnvironment }
}

const isTemplate = (u: string | TemplateStringsArray | ExecInput): u is TemplateStringsArray =>
  typeof u === "object" && "raw" in u

const isOptions = (u: unknown): u is ShellExecOptions => typeof u === "object" && u !== null

const readOptions = (where: string, options: unknown): ShellExecOptions => {
  refuseUnknownOptions(where, options, execOptionNames)
  return isOptions(options) ? options : {}
}

const isWords = (u: unknown): u is ReadonlyArray<Word | number> => Array.isArray(u)
