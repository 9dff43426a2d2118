/**
 * Compiles the pattern of a search to a matcher of lines, whose time grows linearly with the text, whatever the pattern.
 *
 * Regular expressions have RE2's syntax, without look-around and back-references, which cannot be matched in linear time.
 * `re2js` is loaded only for them; plain text needs no package.
 */
import * as Effect from "effect/Effect"
import { errorMessage } from "../base/errorMessage.ts"
import { showValue } from "../base/OptionError.ts"
import { type FileSearchError, searchError } from "./FileSearchError.ts"

export interface LineMatcher {
  /** Index of the first match in a line, in UTF-16 units; -1 if there is none. */
  readonly indexIn: (line: string) => number
  /** Whether a text of several lines, with LF between them, may have a line that matches. */
  readonly mayMatch: (text: string) => boolean
}

/** Options of a search pattern. */
export interface PatternOptions {
  /** Whether the pattern is text instead of a regular expression. Default: `false`. */
  readonly literal?: boolean | undefined
  /** Whether case is ignored. Default: `false`. */
  readonly ignoreCase?: boolean | undefined
}

const maxPatternLength = 10_000

const special = /[\\^$.|?*+()[\]{}]/

/** Patterns that match at the ends of a line, and elsewhere in a whole text. */
const needsSingleLines = /\\[AzZ]|\(\?[a-zA-Z]*-/

/** Whether a pattern is the text that it matches, also as a regular expression. */
const isPlain = (pattern: string, { ignoreCase = false, literal = false }: PatternOptions): boolean =>
  !ignoreCase && (literal || !special.test(pattern))

const refuse = (what: string): Effect.Effect<never, FileSearchError> => Effect.fail(searchError("InvalidPattern", what))

export const compilePattern = (
  pattern: string,
  options: PatternOptions,
): Effect.Effect<LineMatcher, FileSearchError> =>
  Effect.gen(function* () {
    if (typeof pattern !== "string") return yield* refuse(`the pattern is ${showValue(pattern)}, and not text`)
    if (pattern === "") return yield* refuse("the pattern is empty")
    if (pattern.length > maxPatternLength) {
      return yield* refuse(`the pattern has more than ${maxPatternLength} characters`)
    }
    if (/[\r\n]/.test(pattern)) return yield* refuse("the pattern has a line break, and a match is within one line")
    if (isPlain(pattern, options)) {
      return { indexIn: (line) => line.indexOf(pattern), mayMatch: (text) => text.includes(pattern) }
    }
    const { RE2JS } = yield* Effect.tryPromise({
      try: () => import("re2js"),
      catch: (error) =>
        searchError(
          "Unavailable",
          `regular expressions need the package re2js: npm install re2js (${errorMessage(error)})`,
        ),
    })
    const source = options.literal === true ? RE2JS.quote(pattern) : pattern
    const flags = options.ignoreCase === true ? RE2JS.CASE_INSENSITIVE : 0
    return yield* Effect.try({
      try: (): LineMatcher => {
        const line = RE2JS.compile(source, flags)
        const lines = RE2JS.compile(source, flags | RE2JS.MULTILINE)
        const isSafe = !needsSingleLines.test(source)
        return {
          // `test` is several times as fast as `find`, which also returns the position.
          indexIn: (text) => {
            if (!line.test(text)) return -1
            const found = line.matcher(text)
            return found.find() ? found.start() : -1
          },
          mayMatch: (text) => !isSafe || lines.test(text),
        }
      },
      catch: (error) => searchError("InvalidPattern", `${errorMessage(error)}; use the syntax of RE2, or pass literal`),
    })
  })
