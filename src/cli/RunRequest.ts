/**
 * Parses the flags of `sluice run` into a typed request.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ShellExec, type ShellExecOptions } from "../command/ShellExec.ts"
import type { Policy } from "../window/Policy.ts"
import type { RawFlags, RunFlag } from "./flags.ts"
import { parseRedaction, type RedactionRequest } from "./redaction.ts"
import { UsageError } from "./UsageError.ts"
import { parseBytes, parseDuration, parseLimits, parsePositiveDuration, parseVariables } from "./parseValues.ts"
import type { RunWords } from "./parseRunWords.ts"

/** A command to run, and how to print its output. */
export interface RunRequest {
  readonly exec: ShellExec
  readonly json: boolean
  readonly policy: Policy | undefined
  /** A file, or `-` for the program's stdin. Default: the program's stdin if it is a pipe or a file. */
  readonly input: string | undefined
  /** The journal of the command: a file or a URL as given. */
  readonly journal: string | undefined
  /** Redaction of the journal. */
  readonly redaction: RedactionRequest
}

type Parser<A> = (text: string) => Result.Result<A, string>

const read = <A>(flag: RunFlag, parsed: Result.Result<A, string>): Result.Result<A, UsageError> =>
  Result.mapError(parsed, (problem) => new UsageError(`--${flag}: ${problem}`))

const one = <A>(flags: RawFlags, flag: RunFlag, parse: Parser<A>): Result.Result<A | undefined, UsageError> => {
  const text = flags.get(flag)?.[0]
  return text === undefined ? Result.succeed(undefined) : read(flag, parse(text))
}

const many = <A>(
  flags: RawFlags,
  flag: RunFlag,
  parse: (texts: ReadonlyArray<string>) => Result.Result<A, string>,
): Result.Result<A | undefined, UsageError> => {
  const texts = flags.get(flag)
  return texts === undefined || texts.length === 0 ? Result.succeed(undefined) : read(flag, parse(texts))
}

const notEmpty: Parser<string> = (text) => text === "" ? Result.fail("is empty") : Result.succeed(text)

const optionsOf = (flags: RawFlags): Result.Result<ShellExecOptions, UsageError> =>
  Result.gen(function* () {
    return {
      cwd: yield* one(flags, "cwd", notEmpty),
      env: yield* many(flags, "env", parseVariables),
      extendEnv: flags.has("clear-env") ? false : undefined,
      timeout: yield* one(flags, "timeout", parsePositiveDuration),
      idleTimeout: yield* one(flags, "idle-timeout", parsePositiveDuration),
      grace: yield* one(flags, "grace", parseDuration),
      streamOutput: !flags.has("no-stream"),
      mergeStreams: flags.has("merge") ? true : undefined,
      maxOutputBytes: yield* one(flags, "max-output", parseBytes),
      limits: yield* many(flags, "limit", parseLimits),
    }
  })

const execOf = ({ command, flags }: RunWords): Result.Result<ShellExec, UsageError> =>
  Result.flatMap(optionsOf(flags), (options) => {
    const [program = "", ...args] = command
    if (!flags.has("shell")) return Result.succeed(ShellExec.make(program, args, options))
    return args.length === 0
      ? Result.succeed(ShellExec.shell(program, options))
      : Result.fail(new UsageError("--shell takes one script: quote it, as in --shell -- 'ls | wc -l'"))
  })

const inputOf = (flags: RawFlags): Result.Result<string | undefined, UsageError> =>
  Result.flatMap(one(flags, "input", notEmpty), (input) => {
    if (!flags.has("interactive")) return Result.succeed(input)
    return input === undefined
      ? Result.succeed("-")
      : Result.fail(new UsageError("-i and --input are mutually exclusive"))
  })

const policyOf = (text: string): Effect.Effect<Policy, UsageError> =>
  // Loaded on demand: most runs have no windows.
  Effect.flatMap(
    Effect.promise(() => import("../window/parse.ts")),
    ({ parsePolicy }) => Effect.fromResult(read("window", parsePolicy(text))),
  )

/** Parses the values of the flags. */
export const parseRunRequest: (words: RunWords) => Effect.Effect<RunRequest, UsageError> = Effect.fnUntraced(function* (
  words,
) {
  const { flags } = words
  const exec = yield* Effect.fromResult(execOf(words))
  const window = flags.get("window")?.[0]
  return {
    exec,
    json: flags.has("json"),
    policy: window === undefined ? undefined : yield* policyOf(window),
    input: yield* Effect.fromResult(inputOf(flags)),
    journal: yield* Effect.fromResult(one(flags, "journal", notEmpty)),
    redaction: yield* Effect.fromResult(parseRedaction(flags)),
  }
})
