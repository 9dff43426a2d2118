/** Builds the request of `sluice run` (command, window policy, stdin, journal) from its command line. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ShellExec } from "../command/plain/ShellExec.ts"
import type { Policy } from "../window/Policy.ts"
import type { CliProcess } from "./CliProcess.ts"
import type { CommandPolicyFlags } from "./commandPolicyFlags.ts"
import type { CommandWords } from "./CommandSpec.ts"
import { decodeFlags } from "./FlagSpec.ts"
import { type RedactionFlags, type RunFlags, runFlags } from "./runFlags.ts"
import { isolationOf, type IsolationRequest, withIsolatedVariable } from "./isolationFlags.ts"
import { UsageError } from "./UsageError.ts"

export interface RunRequest
  extends Pick<RunFlags, "json" | "input" | "journal" | "tty" | "url" | "token" | "token-file"> {
  readonly exec: ShellExec
  readonly policy: Policy | undefined
  readonly redaction: RedactionFlags
  /** The policy that explains the command instead of running it. */
  readonly explain: CommandPolicyFlags | undefined
  readonly isolation: IsolationRequest | undefined
}

// Loaded on demand: most runs read no file.
const configuring = Effect.promise(() => import("./config/applyConfigFlag.ts"))

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
  if (!flags.shell && !flags.portable) return Result.succeed(ShellExec.make(program, args, options))
  const name = flags.portable ? "--portable" : "--shell"
  return args.length === 0
    ? Result.succeed(ShellExec.shell(program, flags.portable ? { ...options, shell: "portable" } : options))
    : Result.fail(new UsageError(`${name} takes one script: quote it, as in ${name} -- 'ls | wc -l'`))
}

const readPolicy = (text: string): Effect.Effect<Policy, UsageError> =>
  // Loaded on demand: most runs have no windows.
  Effect.flatMap(
    Effect.promise(() => import("../window/parsePolicy.ts")),
    ({ parsePolicy }) =>
      Effect.fromResult(Result.mapError(parsePolicy(text), (problem) => new UsageError(`--window: ${problem}`))),
  )

/** Flags without meaning on a terminal, where the output is a drawn screen. */
const notOnTerminal = ["portable", "json", "window", "no-stream", "merge", "input", "interactive"] as const

/** Flags that have no meaning where nothing runs. */
const notExplained = ["tty", "url", "journal", "window", "input", "interactive"] as const

const findGiven = <Name extends keyof RunFlags>(flags: RunFlags, names: ReadonlyArray<Name>): Name | undefined =>
  names.find((name) => flags[name] !== undefined && flags[name] !== false)

const findConflict = (flags: RunFlags): string | undefined => {
  const unexplained = flags.explain ? findGiven(flags, notExplained) : undefined
  if (unexplained !== undefined) return `--explain and --${unexplained} are mutually exclusive`
  if (flags.interactive && flags.input !== undefined) return "-i and --input are mutually exclusive"
  if (flags.url !== undefined && flags.journal !== undefined) {
    return "--journal and --url are mutually exclusive: the server has a journal of its own"
  }
  const wrong = flags.tty ? findGiven(flags, notOnTerminal) : undefined
  return wrong === undefined ? undefined : `--tty and --${wrong} are mutually exclusive`
}

export const readRunRequest: (
  words: CommandWords,
  cli: CliProcess,
) => Effect.Effect<RunRequest, UsageError> = Effect.fnUntraced(
  function* (words, cli) {
    const texts = words.flags.has("explain")
      ? (yield* (yield* configuring).applyConfigFlag(cli, "run", words.flags)).texts
      : yield* Effect.fromResult(withIsolatedVariable(words.flags, cli))
    const flags = yield* Effect.fromResult(decodeFlags(runFlags, texts))
    const { input, interactive, journal, json, window } = flags
    const exec = yield* Effect.fromResult(makeExec(flags, words.operands))
    const policy = window === undefined ? undefined : yield* readPolicy(window)
    const conflict = findConflict(flags)
    if (conflict !== undefined) return yield* Effect.fail(new UsageError(conflict))
    const isolation = isolationOf(flags, [flags.cwd ?? "."], journal)
    if (isolation !== undefined && flags.url !== undefined) {
      return yield* Effect.fail(
        new UsageError("--isolated and --url are mutually exclusive: the server decides about isolation"),
      )
    }
    const { token, "token-file": tokenFile, tty, url } = flags
    const place = { journal, tty, url, token, "token-file": tokenFile, isolation }
    const explain = flags.explain ? { ...flags, limit: undefined } : undefined
    return { exec, policy, json, input: interactive ? "-" : input, redaction: flags, explain, ...place }
  },
)
