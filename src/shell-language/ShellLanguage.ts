/**
 * Parses scripts of the shell language, whole or line by line, into syntax trees with exact positions, in linear time
 * and without throwing. Covers POSIX's language and the common extensions of bash: `[[ ]]`, `(( ))`, arrays, `$'…'`,
 * every form of `${…}`, here-strings, `<(…)`, `select`.
 *
 * No library fits: tree-sitter's grammar recovers from errors instead of reporting them, mvdan/sh is Go in WebAssembly,
 * and an edge isolate has no bash. Source: POSIX.1-2024, XCU chapter 2 "Shell Command Language"; bash(1).
 */
import type { ParseOptions } from "./parse/Scanner.ts"
import { ScriptParser } from "./parse/ScriptParser.ts"
import { type ParseResult, parseResult } from "./ShellSyntaxError.ts"
import type { Script } from "./SyntaxTree.ts"

export * from "./SyntaxTree.ts"
export { parseArithmetic } from "./parse/parseArithmetic.ts"
export { expandBraces, expandBracesInSteps } from "./expandBraces.ts"
export { declarations } from "./declarations.ts"
export { plainText } from "./parse/WordParser.ts"
export { quoteWord } from "./quoteWord.ts"
export type { ParseOptions } from "./parse/Scanner.ts"
export { type ParseResult, positionOf, ShellSyntaxError, type TextPosition } from "./ShellSyntaxError.ts"
export { hasPatternCharacters, staticText } from "./staticText.ts"
export { childrenOf as children, walk } from "./walk.ts"

/**
 * Maximum number of steps for a text that is parsed at once, in at most half a second: 28,000 commands, 100,000 words
 * or 20 million characters.
 */
const maxSteps = 320_000

const parserOf = (text: string, options: ParseOptions): ScriptParser => {
  const state = {
    text,
    maxDepth: Math.min(options.maxDepth ?? 200, 250),
    extglob: options.extglob ?? false,
    coprocesses: options.coprocesses ?? false,
    aliases: options.aliases,
    depth: 0,
    arithmeticAttempts: 0,
    notArithmetic: new Set<number>(),
    steps: 0,
    exhausted: false,
    refused: undefined,
    maxSteps,
  }
  const parser = new ScriptParser(state, text, (offset) => offset)
  const maxLength = options.maxLength ?? 4_194_304
  if (text.length > maxLength) throw parser.scanner.error(`a text of at most ${maxLength} characters`)
  const nul = text.indexOf("\0")
  if (nul >= 0) throw parser.scanner.error("a text without NUL", nul)
  return parser
}

export const parse = (text: string, options: ParseOptions = {}): ParseResult<Script> =>
  parseResult(() => parserOf(text, options).script())

/** Parses a script line by line, as shells do: commands before a syntax error run before it is found. */
export interface ScriptReader {
  /**
   * Parses the next line with commands, and the lines that continue it; `undefined` at the end. After an error, returns
   * that error again.
   */
  readonly next: () => ParseResult<Script | undefined>
  /** Whether `@(a|b)` and the other extended patterns are read from now on: `shopt -s extglob`. */
  extglob: boolean
}

export const makeScriptReader = (text: string, options: ParseOptions = {}): ScriptReader => {
  const made = parseResult(() => parserOf(text, options))
  let failed: ParseResult<Script | undefined> | undefined
  return {
    next: () => {
      if (made._tag === "Failure") return made
      if (failed !== undefined) return failed
      made.success.scanner.state.steps = 0
      const line = parseResult(() => made.success.line())
      if (line._tag === "Failure") failed = line
      return line
    },
    get extglob() {
      return made._tag === "Success" && made.success.scanner.state.extglob
    },
    set extglob(on) {
      if (made._tag === "Success") made.success.scanner.state.extglob = on
    },
  }
}
