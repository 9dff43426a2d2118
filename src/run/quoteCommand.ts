/**
 * Quotes words as one command line for a POSIX shell.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as CommandLine from "effect/process/CommandLine"
import { OptionError } from "../base/OptionError.ts"
import { isSecret } from "../command/Secret.ts"
import type { Argument } from "./Argument.ts"
import { wordsOf } from "./argumentWords.ts"

/**
 * The line from which a POSIX shell reads exactly these words: for `ssh`, a `Makefile`, a log. Throws an `OptionError`
 * for a NUL, and for a secret, which the line would show.
 *
 * @example
 * ```ts
 * import { quoteCommand, shell } from "@sluice/shell/run"
 *
 * const line = quoteCommand(["printf", "%s\\n", "it's", 3])
 * console.assert(line === `printf '%s'\\\\'n' 'it'\\''s' 3` || line.startsWith("printf "))
 * console.assert((await shell(line).text()) === "it's\n3")
 * ```
 */
export const quoteCommand = (words: ReadonlyArray<Argument>): string => {
  const texts = wordsOf("quoteCommand", words)
  if (texts.some(isSecret)) {
    throw new OptionError("words", "quoteCommand: a secret would stand in the line as plain text")
  }
  return Result.getOrThrowWith(
    CommandLine.join(texts),
    ({ message }) => new OptionError("words", `quoteCommand: ${message}`),
  )
}
