/** Describes `sluice code`: its help, its flags, and the request that they make. */
import * as Result from "effect/Result"
import { interpreters } from "../../code/Interpreter.ts"
import type { CommandSpec, CommandWords } from "../CommandSpec.ts"
import { decodeFlags, type FlagTable, switchFlag, valueFlag } from "../FlagSpec.ts"
import { parseBytes, parseNonEmpty, parsePositiveDuration } from "../parseValues.ts"
import { type RunFlags, runFlags } from "../runFlags.ts"
import type { CodeInput } from "../../code/CodeRequest.ts"
import { UsageError } from "../UsageError.ts"

export interface CodeFlags extends
  Pick<
    RunFlags,
    "json" | "timeout" | "grace" | "cwd" | "env" | "clear-env" | "input" | "max-output" | "limit" | "journal"
  > {
  readonly language: string | undefined
  readonly version: string | undefined
  readonly file: string | undefined
}

const languages = Object.entries(interpreters)
  .map(([language, { command }]) => language === command ? language : `${language} (${command})`)
  .join(", ")

export const codeFlags: FlagTable<CodeFlags> = {
  "language": valueFlag("NAME", `Language of the code: ${languages}`, parseNonEmpty),
  "version": valueFlag(
    "VERSION",
    "Version of the interpreter, as in 3 or 3.11: in PATH, or of nvm, pyenv or rbenv. Default: any",
    parseNonEmpty,
  ),
  "file": valueFlag("FILE|-", "Read the code from a file instead of CODE; - is stdin", parseNonEmpty),
  "json": switchFlag("Print one JSON result at the end: success, exit_code, stdout, stderr, error"),
  "timeout": valueFlag(
    "D",
    "Terminate the process tree after this time: seconds, or with a unit, as in 500ms or 2m. Default: 30s",
    parsePositiveDuration,
  ),
  "grace": runFlags.grace,
  "cwd": runFlags.cwd,
  "env": { ...runFlags.env, about: "Set an environment variable of the code; repeatable" },
  "clear-env": {
    ...runFlags["clear-env"],
    about: "Do not inherit the environment: the code gets only what --env sets",
  },
  "input": { ...runFlags.input, about: "Stdin of the code; - is the stdin of sluice. Default: empty" },
  "max-output": valueFlag(
    "BYTES",
    "Maximum bytes of both outputs in the result of --json, as in 64K or 4M. Default: 1M",
    parseBytes,
  ),
  "limit": runFlags.limit,
  "journal": {
    ...runFlags.journal,
    about: runFlags.journal.about.replace("the command, its output", "the run, its output"),
  },
}

export const codeSpec: CommandSpec = {
  name: "code",
  short: "Run code of a language",
  about: `Run a piece of code with the interpreter of its language, and stream its output.

  CODE is one argument: quote it. Use - to read it from stdin, and put code that starts with a dash after --.

  Exit status: that of the code; 128+n if signal n ended it; 124 timed out; 126 not permitted; 127 no interpreter,
  version or directory; 75 too many commands; 130 cancelled by Ctrl-C (143 by SIGTERM, 129 by SIGHUP); 125 any other failure of
  sluice itself, including a usage error. Ctrl-C terminates the whole process tree; a second Ctrl-C kills it.`,
  // Any number, because the error for several words advises to quote the code.
  operand: { name: "CODE", about: "The code, or -", min: 0, max: Infinity },
  flags: codeFlags,
  examples: [
    ["sluice code --language python 'print(1)'", "Stream the output"],
    ["sluice code --language bash --json --timeout 5s 'seq 3; exit 2'", "Print one JSON result"],
    ["sluice code --language javascript - < script.js", "Read the code from stdin"],
  ],
}

/** The source of the code: the text itself, or a file to read (`-` is stdin). */
export type CodeSource =
  | { readonly _tag: "Text"; readonly code: string }
  | { readonly _tag: "File"; readonly file: string }

export interface RunCodeRequest extends Pick<CodeFlags, "json" | "input" | "journal"> {
  readonly source: CodeSource
  readonly settings: Omit<CodeInput, "code">
}

const example = "as in sluice code --language python 'print(1)'"

const sourceOf = (
  [code, more]: ReadonlyArray<string>,
  file: string | undefined,
): Result.Result<CodeSource, UsageError> => {
  const fail = (problem: string): Result.Result<never, UsageError> => Result.fail(new UsageError(problem))
  if (more !== undefined) return fail(`the code must be one argument: quote it, ${example}`)
  if (file !== undefined && code !== undefined) return fail("CODE and --file are mutually exclusive")
  if (file !== undefined) return Result.succeed({ _tag: "File", file })
  if (code === undefined) return fail(`missing code: quote it, ${example}, or use - to read it from stdin`)
  return Result.succeed(code === "-" ? { _tag: "File", file: "-" } : { _tag: "Text", code })
}

export const readRunCodeRequest = (words: CommandWords): Result.Result<RunCodeRequest, UsageError> =>
  Result.gen(function* () {
    const flags = yield* decodeFlags(codeFlags, words.flags)
    const { input, journal, json, language } = flags
    if (language === undefined) return yield* Result.fail(new UsageError(`missing --language, ${example}`))
    const source = yield* sourceOf(words.operands, flags.file)
    if (input === "-" && source._tag === "File" && source.file === "-") {
      return yield* Result.fail(new UsageError("stdin is the code: --input - cannot read it again"))
    }
    const settings = {
      language,
      version: flags.version,
      cwd: flags.cwd,
      env: flags.env,
      extendEnv: flags["clear-env"] ? false : undefined,
      timeout: flags.timeout,
      grace: flags.grace,
      maxOutputBytes: flags["max-output"],
      limits: flags.limit,
    }
    return { source, settings, json, input, journal }
  })
