/**
 * The language of shells: a text becomes a tree, and nothing is run. POSIX's shell command language, and what people
 * expect of bash: `[[ ]]`, `(( ))`, arrays, `$'…'`, every form of `${…}`, here-strings, `<(…)`, `select`.
 *
 * Reading is linear in the text, bounded in depth, and never throws, whatever the text is.
 *
 * Source: POSIX.1-2024, XCU chapter 2 "Shell Command Language"; bash(1).
 *
 * @module
 */
import { Commands } from "./parse/ScriptParser.ts"
import type { ParseOptions, Source } from "./parse/Scanner.ts"
import { type ParseResult, parseResult } from "./ShellSyntaxError.ts"
import type { Script } from "./SyntaxTree.ts"

export * from "./SyntaxTree.ts"
export { parseArithmetic } from "./parse/parseArithmetic.ts"
export { expandBraces, expandBracesInSteps } from "./expandBraces.ts"
export { type Evaluation, findEvaluations } from "./analysis/findEvaluations.ts"
export { print, type PrintOptions, type PrintResult, type Rewrite } from "./print/print.ts"
export { forceNumbers } from "./analysis/forceNumbers.ts"
export { NumericVariables } from "./analysis/NumericVariables.ts"
export { quoteWord } from "./quoteWord.ts"
export type { ParseOptions } from "./parse/Scanner.ts"
export {
  type ParseResult,
  positionOf,
  ShellSyntaxError,
  type ShellSyntaxErrorFields,
  type TextPosition,
} from "./ShellSyntaxError.ts"
export { staticText } from "./analysis/staticText.ts"
export { children, walk } from "./walk.ts"

const maxSteps = (length: number): number => 64 * length + 65_536

const readerOf = (text: string, options: ParseOptions): Commands => {
  const source: Source = {
    text,
    maxDepth: Math.min(options.maxDepth ?? 200, 250),
    extglob: options.extglob ?? false,
    coprocesses: options.coprocesses ?? false,
    aliases: options.aliases,
    depth: 0,
    guesses: 0,
    notArithmetic: new Set(),
    steps: 0,
    exhausted: false,
    refused: undefined,
    maxSteps: maxSteps(text.length),
  }
  const reader = new Commands(source, text, (offset) => offset)
  const maxLength = options.maxLength ?? 4_194_304
  if (text.length > maxLength) throw reader.error(`a text of at most ${maxLength} characters`)
  const nul = text.indexOf("\0")
  if (nul >= 0) throw reader.error("a text without NUL", nul)
  return reader
}

/** Parses a whole script. */
export const parse = (text: string, options: ParseOptions = {}): ParseResult<Script> =>
  parseResult(() => readerOf(text, options).script())

/** Reads a script line by line, as shells do: what stands before an error has been run by then. */
export interface ScriptReader {
  /**
   * The commands of the next line that has any: more lines than one when a command, a quote or a here-document goes on.
   * `undefined` at the end. After an error only errors follow.
   */
  readonly next: () => ParseResult<Script | undefined>
  /** Whether `@(a|b)` and its like are patterns in what is read from now on: `shopt -s extglob`. */
  extglob: boolean
}

/** Reads a script line by line. Spans count within the whole text. */
export const makeScriptReader = (text: string, options: ParseOptions = {}): ScriptReader => {
  const made = parseResult(() => readerOf(text, options))
  let failed: ParseResult<Script | undefined> | undefined
  return {
    next: () => {
      if (made._tag === "Failure") return made
      if (failed !== undefined) return failed
      const line = parseResult(() => made.success.line())
      if (line._tag === "Failure") failed = line
      return line
    },
    get extglob() {
      return made._tag === "Success" && made.success.source.extglob
    },
    set extglob(on) {
      if (made._tag === "Success") made.success.source.extglob = on
    },
  }
}
