/**
 * Declares the class of a command without its Schema, and makes commands from programs, templates, shell scripts or other
 * commands.
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { durationOf } from "../../base/duration.ts"
import { kindOf, OptionError, refuseUnknownOptions } from "../../base/OptionError.ts"
import type { Word } from "../Secret.ts"
import { execOptionNames, type ShellExecOptions } from "../ShellExecOptions.ts"
import { parseTemplateWords, type TemplateValue } from "../templateWords.ts"
import { makeUuidV7 } from "../uuidV7.ts"
import { constructorFields, type ConstructorOptions } from "./attachSchema.ts"
import { type ExecFields, type ExecInput, execParser } from "./execFields.ts"
import { isSecret } from "./secret.ts"

const fieldsOf = (command: string, args: ReadonlyArray<Word | number>, o: ShellExecOptions): ExecInput => ({
  commandId: o.commandId ?? makeUuidV7(),
  command,
  arguments: args.map((word) => typeof word === "number" ? String(word) : word),
  streamOutput: o.streamOutput ?? true,
  useShell: o.useShell ?? false,
  ...(o.cwd === undefined ? undefined : { workingDirectory: o.cwd }),
  ...(o.env === undefined ? undefined : { environment: o.env }),
  ...(o.extendEnv === undefined ? undefined : { inheritEnvironment: o.extendEnv }),
  ...(o.timeout === undefined ? undefined : { timeout: durationOf("timeout", o.timeout) }),
  ...(o.idleTimeout === undefined ? undefined : { idleTimeout: durationOf("idleTimeout", o.idleTimeout) }),
  ...(o.grace === undefined ? undefined : { grace: durationOf("grace", o.grace) }),
  ...(o.shell === undefined ? undefined : { shell: o.shell }),
  ...(o.mergeStreams === undefined ? undefined : { mergeStreams: o.mergeStreams }),
  ...(o.localBin === undefined ? undefined : { localBin: o.localBin }),
  ...(o.encoding === undefined ? undefined : { encoding: o.encoding }),
  ...(o.input === undefined ? undefined : { input: o.input }),
  ...(o.maxOutputBytes === undefined ? undefined : { maxOutputBytes: o.maxOutputBytes }),
  ...(o.limits === undefined ? undefined : { limits: o.limits }),
  ...(o.onHostLoss === undefined ? undefined : { onHostLoss: o.onHostLoss }),
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
      throw new OptionError("args", `ShellExec.make: the arguments are a list, not ${typeof args}: write ["a", "b"]`)
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
  static with(exec: ShellExec, options: ShellExecOptions): ShellExec {
    const given = readOptions("ShellExec.with", options)
    return new ShellExec(fieldsOf(exec.command, exec.arguments, { ...optionsOf(exec), ...given }))
  }

  /** Makes a command of a shell script. */
  static shell(script: string, options: ShellExecOptions = {}): ShellExec {
    return new ShellExec(fieldsOf(script, [], { ...readOptions("ShellExec.shell", options), useShell: true }))
  }
}

/** The options that make the fields of a command, without its id. */
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
