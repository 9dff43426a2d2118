/**
 * Parses the flags of `sluice code` into a typed request.
 *
 * @module
 */
import * as Result from "effect/Result"
import type { CodeInput } from "../../code/CodeRequest.ts"
import { UsageError } from "../UsageError.ts"
import { parseBytes, parseDuration, parseLimits, parsePositiveDuration, parseVariables } from "../parseValues.ts"

/** The words of a `sluice code` command line. */
export interface CodeWords {
  readonly flags: ReadonlyMap<string, ReadonlyArray<string>>
  /** The code, as one word. */
  readonly words: ReadonlyArray<string>
}

/** The source of the code: the text itself, or a file to read (`-` is stdin). */
export type CodeSource =
  | { readonly _tag: "Text"; readonly code: string }
  | { readonly _tag: "File"; readonly file: string }

/** Code to run, and how to print its result. */
export interface RunCodeRequest {
  readonly source: CodeSource
  readonly settings: Omit<CodeInput, "code">
  readonly json: boolean
  /** The stdin of the code: a file, or `-` for the program's own stdin. */
  readonly input: string | undefined
  /** The journal of the run: a file or a URL as given. */
  readonly journal: string | undefined
}

type Parsed<A> = Result.Result<A, string>

const notEmpty = (text: string): Parsed<string> => text === "" ? Result.fail("is empty") : Result.succeed(text)

const example = "as in sluice code --language python 'print(1)'"

const sourceOf = (words: ReadonlyArray<string>, file: string | undefined): Result.Result<CodeSource, UsageError> => {
  const [code, more] = words
  const wrong = (problem: string): Result.Result<never, UsageError> => Result.fail(new UsageError(problem))
  if (more !== undefined) return wrong(`the code must be one argument: quote it, ${example}`)
  if (file !== undefined && code !== undefined) return wrong("CODE and --file are mutually exclusive")
  if (file !== undefined) return Result.succeed({ _tag: "File", file })
  if (code === undefined) return wrong(`missing code: quote it, ${example}, or use - to read it from stdin`)
  return Result.succeed(code === "-" ? { _tag: "File", file: "-" } : { _tag: "Text", code })
}

/** Parses the values of the flags. */
export const readRunCodeRequest = ({ flags, words }: CodeWords): Result.Result<RunCodeRequest, UsageError> => {
  const read = <A>(flag: string, parsed: Parsed<A>): Result.Result<A, UsageError> =>
    Result.mapError(parsed, (problem) => new UsageError(`--${flag}: ${problem}`))
  const one = <A>(flag: string, parse: (text: string) => Parsed<A>): Result.Result<A | undefined, UsageError> => {
    const [text] = flags.get(flag) ?? []
    return text === undefined ? Result.succeed(undefined) : read(flag, parse(text))
  }
  const many = <A>(flag: string, parse: (texts: ReadonlyArray<string>) => Parsed<A>) => {
    const texts = flags.get(flag)
    return texts === undefined ? Result.succeed(undefined) : read(flag, parse(texts))
  }
  return Result.gen(function* () {
    const language = yield* one("language", notEmpty)
    if (language === undefined) {
      return yield* Result.fail(new UsageError(`missing --language, ${example}`))
    }
    const source = yield* sourceOf(words, yield* one("file", notEmpty))
    const input = yield* one("input", notEmpty)
    if (input === "-" && source._tag === "File" && source.file === "-") {
      return yield* Result.fail(new UsageError("stdin is the code: --input - cannot read it again"))
    }
    return {
      source,
      settings: {
        language,
        workingDirectory: yield* one("cwd", notEmpty),
        environment: yield* many("env", parseVariables),
        inheritEnvironment: flags.has("clear-env") ? false : undefined,
        timeout: yield* one("timeout", parsePositiveDuration),
        grace: yield* one("grace", parseDuration),
        maxOutputBytes: yield* one("max-output", parseBytes),
        limits: yield* many("limit", parseLimits),
      },
      json: flags.has("json"),
      input,
      journal: yield* one("journal", notEmpty),
    }
  })
}
