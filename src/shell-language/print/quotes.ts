/**
 * Quoting of text in each place where it may stand.
 *
 * Source: bash(1) "QUOTING".
 *
 * @module
 */

/** Characters that no reader needs to see as such, and bytes that are no character. */
// deno-lint-ignore no-control-regex
const unprintable = /[\x00-\x08\x0b-\x1f\x7f\udc80-\udcff]/

const encoder = new TextEncoder()

const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, "0")}`

/** `$'…'` of printable ASCII; other bytes in octal, which ends after three digits whatever follows. */
const ansiQuoted = (text: string): string => {
  let inner = ""
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code >= 0xdc80 && code <= 0xdcff) inner += octal(code - 0xdc00)
    else if (character === "'" || character === "\\") inner += `\\${character}`
    else if (code >= 0x20 && code < 0x7f) inner += character
    else for (const byte of encoder.encode(character)) inner += octal(byte)
  }
  return `$'${inner}'`
}

/** A text in quotes that nothing is read in. */
export const quoted = (text: string): string =>
  unprintable.test(text) ? ansiQuoted(text) : text === "'" ? "\\'" : `'${text.replaceAll("'", "'\\''")}'`

/** A text within double quotes. */
export const withinDoubleQuotes = (text: string): string => text.replace(/[$`"\\]/g, "\\$&")

/** Plain text within double quotes within which a word of `${…}` stands: quoted once more where it is not plain. */
export const withinQuotedOperand = (text: string): string =>
  /^[\w ./:,=@%+-]*$/.test(text) ? text : unprintable.test(text) ? ansiQuoted(text) : `"${withinDoubleQuotes(text)}"`

/** One character, quoted. */
export const escaped = (character: string): string =>
  /^[!-/:-@[-`{-~ ]$/.test(character) ? `\\${character}` : quoted(character)

/**
 * Where text without quotes stands. What is not named as plain there is quoted; characters of patterns are plain
 * everywhere.
 */
export type Place =
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

const needsQuotes: Readonly<Record<Place, RegExp>> = {
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

/** Text without quotes. */
export const plain = (text: string, place: Place): string =>
  text.replace(
    needsQuotes[place],
    // A quote behind the `$` that ends an expression would begin `$'…'`.
    (part) =>
      [...part].length === 1 ? escaped(part) : place === "regex" ? [...part].map(escaped).join("") : quoted(part),
  )
