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
import { Commands } from "./Commands.ts"
import type { ParseOptions, Source } from "./Reader.ts"
import { type Parsed, parsed } from "./ShellSyntaxError.ts"
import type { Script } from "./Tree.ts"

export * from "./Tree.ts"
export { parseArithmetic } from "./Arithmetic.ts"
export { braceSteps, expandBraces } from "./braces.ts"
export { type Evaluation, evaluations } from "./evaluations.ts"
export { print, type Printed, type PrintOptions, type Rewrite } from "./print/print.ts"
export { forceNumbers } from "./forcedNumbers.ts"
export { Numbers } from "./numbers.ts"
export { quoteWord } from "./quoteWord.ts"
export type { ParseOptions } from "./Reader.ts"
export { type Parsed, type Place, placeOf, ShellSyntaxError, type ShellSyntaxErrorFields } from "./ShellSyntaxError.ts"
export { staticText } from "./staticText.ts"
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
export const parse = (text: string, options: ParseOptions = {}): Parsed<Script> =>
  parsed(() => readerOf(text, options).script())

/** Reads a script line by line, as shells do: what stands before an error has been run by then. */
export interface ScriptReader {
  /**
   * The commands of the next line that has any: more lines than one when a command, a quote or a here-document goes on.
   * `undefined` at the end. After an error only errors follow.
   */
  readonly next: () => Parsed<Script | undefined>
  /** Whether `@(a|b)` and its like are patterns in what is read from now on: `shopt -s extglob`. */
  extglob: boolean
}

/** Reads a script line by line. Spans count within the whole text. */
export const makeScriptReader = (text: string, options: ParseOptions = {}): ScriptReader => {
  const made = parsed(() => readerOf(text, options))
  let failed: Parsed<Script | undefined> | undefined
  return {
    next: () => {
      if (made._tag === "Failure") return made
      if (failed !== undefined) return failed
      const line = parsed(() => made.success.line())
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
