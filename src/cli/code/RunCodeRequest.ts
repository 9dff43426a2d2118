/** Builds the request of `sluice code` (code or its file, settings, stdin, journal) from its command line. */
import * as Result from "effect/Result"
import type { CodeInput } from "../../code/CodeRequest.ts"
import type { CommandWords } from "../CommandSpec.ts"
import { decodeFlags } from "../FlagSpec.ts"
import { UsageError } from "../UsageError.ts"
import { type CodeFlags, codeFlags } from "./codeCommand.ts"

/** The source of the code: the text itself, or a file to read (`-` is stdin). */
export type CodeSource =
  | { readonly _tag: "Text"; readonly code: string }
  | { readonly _tag: "File"; readonly file: string }

/** Code to run, and how to print its result. */
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

/** Decodes the flags and builds the request. */
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
