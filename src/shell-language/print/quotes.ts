/**
 * Quotes text so that a shell reads it unchanged in the context of a script where it is printed.
 *
 * Source: bash(1) "QUOTING".
 *
 * @module
 */
import { encodeUtf8 } from "../../base/bytes.ts"

/** Control characters, and bytes that are not part of a character. */
// deno-lint-ignore no-control-regex
const unprintable = /[\x00-\x08\x0b-\x1f\x7f\udc80-\udcff]/

const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, "0")}`

/** Returns `$'…'` of printable ASCII, with other bytes in octal of exactly three digits. */
const ansiQuoted = (text: string): string => {
  let inner = ""
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code >= 0xdc80 && code <= 0xdcff) inner += octal(code - 0xdc00)
    else if (character === "'" || character === "\\") inner += `\\${character}`
    else if (code >= 0x20 && code < 0x7f) inner += character
    else for (const byte of encodeUtf8(character)) inner += octal(byte)
  }
  return `$'${inner}'`
}

/** Quotes a text so that no character in it is special. */
export const quoteText = (text: string): string =>
  unprintable.test(text) ? ansiQuoted(text) : text === "'" ? "\\'" : `'${text.replaceAll("'", "'\\''")}'`

/** Escapes a text for the inside of double quotes. */
export const escapeInDoubleQuotes = (text: string): string => text.replace(/[$`"\\]/g, "\\$&")

/** Quotes a text for a word of `${…}` within double quotes. */
export const quoteInQuotedOperand = (text: string): string =>
  /^[\w ./:,=@%+-]*$/.test(text) ? text : unprintable.test(text) ? ansiQuoted(text) : `"${escapeInDoubleQuotes(text)}"`

/** Quotes one character. */
export const quoteCharacter = (character: string): string =>
  /^[!-/:-@[-`{-~ ]$/.test(character) ? `\\${character}` : quoteText(character)

/** The context of unquoted text, which decides about the characters to quote. Characters of patterns stay plain in all. */
export type QuotingContext =
  /** A word of a command, a value, a pattern of `case`. */
  | "word"
  /** A side of `==` within `[[ ]]`, where `@(a|b)` is a pattern. */
  | "condition"
  /** The right side of `=~`. */
  | "regex"
  /** A word or a pattern within `${…}`, outside double quotes. */
  | "operand"
  /** The pattern of `${x/pattern/replacement}`. */
  | "replaced"
  | "subscript"

const needsQuotes: Readonly<Record<QuotingContext, RegExp>> = {
  word: /[^\w%+,./:@=^*?[\]!-]+/g,
  condition: /[^\w%+,./:@=^*?[\]!()|-]+/g,
  // deno-lint-ignore no-control-regex
  regex: /[\x00-\x20"#&'`;<>\\\x7f\udc80-\udcff]+/g,
  // deno-lint-ignore no-control-regex
  operand: /[\x00-\x08\x0b-\x1f\x7f;<>"'\\`{}~\udc80-\udcff]+|\$|(?<=^)[#%/^,]/g,
  // deno-lint-ignore no-control-regex
  replaced: /[\x00-\x08\x0b-\x1f\x7f;<>"'\\`{}~/\udc80-\udcff]+|\$|(?<=^)[#%^,]/g,
  // deno-lint-ignore no-control-regex
  subscript: /[\x00-\x08\x0b-\x1f\x7f"'\\`{}\udc80-\udcff]+|\$/g,
}

/** Prints text that was not quoted, with quotes for the characters that its context needs them for. */
export const quoteForContext = (text: string, context: QuotingContext): string =>
  text.replace(
    needsQuotes[context],
    // A quote after the `$` that ends an expression would begin `$'…'`.
    (part) =>
      [...part].length === 1
        ? quoteCharacter(part)
        : context === "regex"
        ? [...part].map(quoteCharacter).join("")
        : quoteText(part),
  )
