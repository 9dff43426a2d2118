/**
 * Declares the Schema class of a command (a program with arguments and options, as a value that encodes to JSON), and
 * makes commands from programs, templates, shell scripts or other commands.
 *
 * Longer than 300 lines, because the class, its options and their documentation belong together.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { type DurationInput, durationOf } from "../base/duration.ts"
import { OptionError, refuseUnknownOptions } from "../base/OptionError.ts"
import { CommandId } from "./CommandId.ts"
import { CommandInput } from "./CommandInput.ts"
import { CommandLimits } from "./CommandLimits.ts"
import { Word } from "./Secret.ts"
import { parseTemplateWords, type TemplateValue } from "./templateWords.ts"

/** A finite time limit above zero. No limit is expressed by omission. */
const Time: typeof Schema.DurationFromMillis = Schema.DurationFromMillis.check(
  Schema.makeFilter((time: Duration.Duration) => {
    const millis = Duration.toMillis(time)
    return Number.isFinite(millis) && millis > 0 ? undefined : "a finite time above zero"
  }),
)

/** As {@link Time}, or zero: end it at once. */
const Grace: typeof Schema.DurationFromMillis = Schema.DurationFromMillis.check(
  Schema.makeFilter((time: Duration.Duration) => {
    const millis = Duration.toMillis(time)
    return Number.isFinite(millis) && millis >= 0 ? undefined : "a finite time, zero or above"
  }),
)

const NonNegative: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * Schema of {@link OnHostLoss}.
 *
 * @example
 * ```ts
 * import { OnHostLoss, ShellExec } from "@sluice/shell"
 *
 * console.assert(OnHostLoss.literals.join() === "fault,rerun")
 * console.assert(ShellExec.make("make", [], { onHostLoss: "rerun" }).onHostLoss === "rerun")
 * ```
 *
 * @stability stable
 */
export const OnHostLoss: Schema.Literals<readonly ["fault", "rerun"]> = Schema.Literals(["fault", "rerun"])

/**
 * What happens to a command when the process that runs it is lost: it ends with a fault, or runs again.
 *
 * @stability stable
 */
export type OnHostLoss = typeof OnHostLoss.Type

const Base: Schema.Class<
  ShellExec,
  Schema.TaggedStruct<"ShellExec", {
    readonly commandId: Schema.withDecodingDefaultKey<typeof CommandId>
    readonly command: typeof Schema.String
    readonly arguments: Schema.withDecodingDefaultKey<Schema.$Array<typeof Word>>
    readonly workingDirectory: Schema.optionalKey<typeof Schema.String>
    readonly environment: Schema.optionalKey<Schema.$Record<typeof Schema.String, Schema.NullOr<typeof Word>>>
    readonly inheritEnvironment: Schema.optionalKey<typeof Schema.Boolean>
    readonly timeout: Schema.optionalKey<typeof Schema.DurationFromMillis>
    readonly idleTimeout: Schema.optionalKey<typeof Schema.DurationFromMillis>
    readonly grace: Schema.optionalKey<typeof Schema.DurationFromMillis>
    readonly streamOutput: Schema.withDecodingDefaultKey<typeof Schema.Boolean>
    readonly useShell: Schema.withDecodingDefaultKey<typeof Schema.Boolean>
    readonly mergeStreams: Schema.optionalKey<typeof Schema.Boolean>
    readonly localBin: Schema.optionalKey<typeof Schema.Boolean>
    readonly encoding: Schema.optionalKey<typeof Schema.String>
    readonly input: Schema.optionalKey<typeof CommandInput>
    readonly maxOutputBytes: Schema.optionalKey<typeof Schema.Int>
    readonly limits: Schema.optionalKey<typeof CommandLimits>
    readonly onHostLoss: Schema.optionalKey<typeof OnHostLoss>
  }>,
  {}
> = Schema.TaggedClass<
  ShellExec
>()("ShellExec", {
  commandId: CommandId.pipe(Schema.withDecodingDefaultKey(Effect.sync(() => CommandId.make()))),
  command: Schema.String,
  arguments: Schema.Array(Word).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  workingDirectory: Schema.optionalKey(Schema.String),
  environment: Schema.optionalKey(Schema.Record(Schema.String, Schema.NullOr(Word))),
  inheritEnvironment: Schema.optionalKey(Schema.Boolean),
  timeout: Schema.optionalKey(Time),
  idleTimeout: Schema.optionalKey(Time),
  grace: Schema.optionalKey(Grace),
  streamOutput: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  useShell: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  mergeStreams: Schema.optionalKey(Schema.Boolean),
  localBin: Schema.optionalKey(Schema.Boolean),
  encoding: Schema.optionalKey(Schema.String),
  input: Schema.optionalKey(CommandInput),
  maxOutputBytes: Schema.optionalKey(NonNegative),
  limits: Schema.optionalKey(CommandLimits),
  onHostLoss: Schema.optionalKey(OnHostLoss),
})

/**
 * Options of a command in addition to its program and arguments; each has a default.
 *
 * @example
 * ```ts
 * import { ShellExec } from "@sluice/shell"
 *
 * const test = ShellExec.make("npm", ["test"], {
 *   cwd: "/srv/app",
 *   env: { CI: "true", HOME: null },
 *   timeout: "10 minutes",
 * })
 * console.assert(test.workingDirectory === "/srv/app" && test.environment?.["HOME"] === null)
 * ```
 *
 * @stability stable
 */
export interface ShellExecOptions {
  /** Correlates the events to the request. Default: a UUIDv7. */
  readonly commandId?: CommandId | undefined
  /** Directory to run in. Default: the leaf's base directory, else the process's own. */
  readonly cwd?: string | undefined
  /** Entries added to or overriding the environment; `null` removes a variable. */
  readonly env?: Readonly<Record<string, string | Redacted.Redacted<string> | null>> | undefined
  /** Whether `env` extends the leaf's environment (`true`), or replaces it. Default: the leaf's option (`true`). */
  readonly extendEnv?: boolean | undefined
  /**
   * Maximum duration of the run, from the spawn; then the tree is ended and the fault is `Timeout`. Time in the queue of the
   * concurrency limit does not count, but a wait as long as the timeout is a `Timeout` too (`kind: "queue"`). Default: the
   * leaf's (none).
   */
  readonly timeout?: DurationInput | undefined
  /** Maximum silence on both outputs; then as `timeout`. Default: none. */
  readonly idleTimeout?: DurationInput | undefined
  /** Time between SIGTERM and SIGKILL. Default: the leaf's (5 s). */
  readonly grace?: DurationInput | undefined
  /** Chunks as they are written (`true`, the default), or the whole output in the last event (`false`). */
  readonly streamOutput?: boolean | undefined
  /** Hand `command` to the shell as a script. Use {@link ShellExec.shell}. Default: `false`. */
  readonly useShell?: boolean | undefined
  /** Stderr into stdout's pipe, in the exact order of the writes, untagged. Default: `false`. */
  readonly mergeStreams?: boolean | undefined
  /** Put `node_modules/.bin` of the working directory and its parents first on PATH. Default: `false`. */
  readonly localBin?: boolean | undefined
  /** Encoding of the output: any label of `TextDecoder`. Default: `"utf-8"`. */
  readonly encoding?: string | undefined
  /** Input on stdin. Default: none; stdin is closed. */
  readonly input?: CommandInput | undefined
  /**
   * Bytes of each output stream that are kept in memory; the middle is left out beyond. Default: 64 MiB. Of a streamed
   * command only the end is kept, for its fault. Default there: 64 KiB.
   */
  readonly maxOutputBytes?: number | undefined
  /** Limits that the operating system enforces. Default: none. */
  readonly limits?: CommandLimits | undefined
  /**
   * What happens to the command when the process that runs it for others (a daemon) is lost: it ends with the fault
   * `HostLost`, or it runs again from the start, however far it had come. Default: `"fault"`: only a command with
   * `"rerun"` ever runs twice.
   */
  readonly onHostLoss?: OnHostLoss | undefined
}

type Fields = (typeof Base)["~type.make.in"]

/** The names of the options of a command. */
export const execOptionNames: Readonly<Record<keyof ShellExecOptions, true>> = {
  commandId: true,
  cwd: true,
  env: true,
  extendEnv: true,
  timeout: true,
  idleTimeout: true,
  grace: true,
  streamOutput: true,
  useShell: true,
  mergeStreams: true,
  localBin: true,
  encoding: true,
  input: true,
  maxOutputBytes: true,
  limits: true,
  onHostLoss: true,
}

const fieldsOf = (command: string, args: ReadonlyArray<Word | number>, o: ShellExecOptions): Fields => ({
  commandId: o.commandId ?? CommandId.make(),
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
  ...(o.mergeStreams === undefined ? undefined : { mergeStreams: o.mergeStreams }),
  ...(o.localBin === undefined ? undefined : { localBin: o.localBin }),
  ...(o.encoding === undefined ? undefined : { encoding: o.encoding }),
  ...(o.input === undefined ? undefined : { input: o.input }),
  ...(o.maxOutputBytes === undefined ? undefined : { maxOutputBytes: o.maxOutputBytes }),
  ...(o.limits === undefined ? undefined : { limits: o.limits }),
  ...(o.onHostLoss === undefined ? undefined : { onHostLoss: o.onHostLoss }),
})

/**
 * A command to run: a value, with no effect until a `Shell` runs it.
 *
 * Encodes to JSON: durations in milliseconds, bytes as base64, secrets as a marker without the secret. `commandId`,
 * `arguments`, `streamOutput` and `useShell` may be missing when it is decoded. The options have short names (`cwd`, `env`,
 * `extendEnv`); the fields and the encoded form have long ones (`workingDirectory`, `environment`, `inheritEnvironment`).
 *
 * - An unknown option, or one that is no duration, throws an `OptionError`.
 * - A field of the wrong type is a `SchemaError` from `make` and from decoding.
 * - A command that cannot start a process (empty, or with a NUL) is a `ShellFault` with reason `InvalidRequest` when it is
 *   run.
 *
 * @example
 * ```ts
 * import { ShellExec } from "@sluice/shell"
 *
 * const log = ShellExec.make("git", ["log", "-n", "3"], { timeout: "10 seconds" })
 * console.assert(log.command === "git" && log.arguments.length === 3)
 *
 * const branch = "feature/a b"
 * console.assert(ShellExec.make`git switch ${branch}`.arguments[1] === branch)
 * ```
 *
 * @stability stable
 */
export class ShellExec extends Base {
  /**
   * Makes a command from a template literal, with the rules of `cmd`: each `${value}` is one argument, and no shell reads
   * it.
   *
   * @throws {TemplateError} when the template is not a command.
   */
  static override make(strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateValue>): ShellExec
  /** Makes a command from all its fields, as every Schema class does. */
  static override make(fields: Fields, options?: Schema.MakeOptions): ShellExec
  /**
   * Makes a command from a program, its arguments and options. Numbers among the arguments become text.
   *
   * @throws {OptionError} for an unknown option, a bad value of one, and arguments that are no list.
   */
  // The last overload is the one that the compiler quotes for a mistake.
  static override make(command: string, args?: ReadonlyArray<Word | number>, options?: ShellExecOptions): ShellExec
  static override make(first: string | TemplateStringsArray | Fields, ...rest: ReadonlyArray<unknown>): ShellExec {
    if (isTemplate(first)) {
      const { args, command } = Result.getOrThrow(parseTemplateWords(first, rest))
      return checked(fieldsOf(command, args, {}))
    }
    if (typeof first !== "string") return checked(first)
    const [args = [], options = {}] = rest
    if (!isWords(args)) {
      throw new OptionError("args", `ShellExec.make: the arguments are a list, not ${typeof args}: write ["a", "b"]`)
    }
    return checked(fieldsOf(first, args, readOptions("ShellExec.make", options)))
  }

  /**
   * Makes a command like another, with some options changed and an id of its own; `undefined` takes an option away. A
   * spread of the fields would keep the id, and with it the identity of the command.
   *
   * @throws {OptionError} for an option that is unknown, or not a time span.
   *
   * @example
   * ```ts
   * import { ShellExec } from "@sluice/shell"
   *
   * const build = ShellExec.make("npm", ["run", "build"], { cwd: "/srv/app", timeout: "1 minute" })
   * const longer = ShellExec.with(build, { timeout: "10 minutes" })
   * console.assert(longer.workingDirectory === "/srv/app" && longer.commandId !== build.commandId)
   * ```
   */
  static with(exec: ShellExec, options: ShellExecOptions): ShellExec {
    const given = readOptions("ShellExec.with", options)
    return checked(fieldsOf(exec.command, exec.arguments, { ...optionsOf(exec), ...given }))
  }

  /**
   * Makes a command of a shell script: `ShellExec.shell("ls | wc -l")` runs as `/bin/sh -c "ls | wc -l"` (or the
   * leaf's shell). The script is trusted: never put untrusted input into it.
   *
   * @example
   * ```ts
   * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
   * import { Effect } from "effect"
   *
   * const count = Shell.text(ShellExec.shell("printf 'b\\na\\n' | sort | head -n 1")).pipe(Effect.provide(LocalShell.layer))
   * console.assert((await Effect.runPromise(count)) === "a")
   * ```
   */
  static shell(script: string, options: ShellExecOptions = {}): ShellExec {
    return checked(fieldsOf(script, [], { ...readOptions("ShellExec.shell", options), useShell: true }))
  }
}

/** The options that make the fields of a command, without its id. */
const optionsOf = (exec: ShellExec): ShellExecOptions => {
  const { environment, inheritEnvironment, workingDirectory } = exec
  const { _tag, arguments: _arguments, command: _command, commandId: _id, ...others } = exec
  return { ...others, cwd: workingDirectory, env: environment, extendEnv: inheritEnvironment }
}

const isTemplate = (u: string | TemplateStringsArray | Fields): u is TemplateStringsArray =>
  typeof u === "object" && "raw" in u

const isOptions = (u: unknown): u is ShellExecOptions => typeof u === "object" && u !== null

const readOptions = (where: string, options: unknown): ShellExecOptions => {
  refuseUnknownOptions(where, options, execOptionNames)
  return isOptions(options) ? options : {}
}

/** Replaces the general error of a Schema class by the SchemaError with its details. */
const checked = (fields: Fields): ShellExec => {
  try {
    return new ShellExec(fields)
  } catch (error) {
    throw error instanceof Error && SchemaIssue.isIssue(error.cause) ? new Schema.SchemaError(error.cause) : error
  }
}

const isWords = (u: unknown): u is ReadonlyArray<Word | number> => Array.isArray(u)
