/** Quotes words as one command line for a POSIX shell. */
import * as Result from "effect/Result"
import * as CommandLine from "effect/process/CommandLine"
import { OptionError } from "../base/OptionError.ts"
import { isSecret } from "../command/plain/secret.ts"
import type { Argument } from "./Argument.ts"
import { wordsOf } from "./argumentWords.ts"

/**
 * Quotes words as a line that a POSIX shell splits into exactly these words: for `ssh`, a `Makefile`, a log.
 *
 * @throws {OptionError} for a NUL, and for a secret, which the line would show.
 *
 * @example
 * ```ts
 * import { quoteCommand, shell } from "@sluice/shell/run"
 *
 * const line = quoteCommand(["printf", "%s\\n", "it's", 3])
 * console.log(line === `printf '%s'\\\\'n' 'it'\\''s' 3` || line.startsWith("printf ")) // true
 * console.log(await shell(line).text())
 * // it's
 * // 3
 * ```
 */
export const quoteCommand = (words: ReadonlyArray<Argument>): string => {
  const texts = wordsOf("quoteCommand", words)
  if (texts.some(isSecret)) {
    throw new OptionError("words", "quoteCommand: the line would show the secret as plain text; leave it out")
  }
  return Result.getOrThrowWith(
    CommandLine.join(texts),
    ({ message }) => new OptionError("words", `quoteCommand: ${message}`),
  )
}
