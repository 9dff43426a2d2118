/**
 * Builds the request of `sluice run` (command, window policy, stdin, journal) from its command line.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ShellExec } from "../command/ShellExec.ts"
import type { Policy } from "../window/Policy.ts"
import type { CommandWords } from "./CommandSpec.ts"
import { decodeFlags } from "./FlagSpec.ts"
import { type RedactionFlags, type RunFlags, runFlags } from "./runFlags.ts"
import { UsageError } from "./UsageError.ts"

/** A command to run, and how to print its output. */
export interface RunRequest extends Pick<RunFlags, "json" | "input" | "journal"> {
  readonly exec: ShellExec
  readonly policy: Policy | undefined
  /** Redaction of the journal. */
  readonly redaction: RedactionFlags
}

const makeExec = (
  flags: RunFlags,
  [program = "", ...args]: ReadonlyArray<string>,
): Result.Result<ShellExec, UsageError> => {
  const options = {
    cwd: flags.cwd,
    env: flags.env,
    extendEnv: flags["clear-env"] ? false : undefined,
    timeout: flags.timeout,
    idleTimeout: flags["idle-timeout"],
    grace: flags.grace,
    streamOutput: !flags["no-stream"],
    mergeStreams: flags.merge ? true : undefined,
    maxOutputBytes: flags["max-output"],
    limits: flags.limit,
  }
  if (!flags.shell) return Result.succeed(ShellExec.make(program, args, options))
  return args.length === 0
    ? Result.succeed(ShellExec.shell(program, options))
    : Result.fail(new UsageError("--shell takes one script: quote it, as in --shell -- 'ls | wc -l'"))
}

const readPolicy = (text: string): Effect.Effect<Policy, UsageError> =>
  // Loaded on demand: most runs have no windows.
  Effect.flatMap(
    Effect.promise(() => import("../window/parse.ts")),
    ({ parsePolicy }) =>
      Effect.fromResult(Result.mapError(parsePolicy(text), (problem) => new UsageError(`--window: ${problem}`))),
  )

/** Decodes the flags and builds the request. */
export const readRunRequest: (words: CommandWords) => Effect.Effect<RunRequest, UsageError> = Effect.fnUntraced(
  function* (words) {
    const flags = yield* Effect.fromResult(decodeFlags(runFlags, words.flags))
    const { input, interactive, journal, json, window } = flags
    const exec = yield* Effect.fromResult(makeExec(flags, words.operands))
    const policy = window === undefined ? undefined : yield* readPolicy(window)
    if (interactive && input !== undefined) {
      return yield* Effect.fail(new UsageError("-i and --input are mutually exclusive"))
    }
    return { exec, policy, json, input: interactive ? "-" : input, journal, redaction: flags }
  },
)
