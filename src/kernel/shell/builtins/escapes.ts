/**
 * Decodes the backslash escapes of `echo -e` and `printf`, and quotes text for the shell in the styles of `printf %q`,
 * `declare -p`, `set` and `trap`.
 *
 * @module
 */
import { letterEscapes } from "../../../shell-language/parse/decodeAnsi.ts"
import { byteCharacter } from "../characters.ts"
import { type Coroutine, runCoroutineSync, stepsPerYield } from "../../Coroutine.ts"

const simple: Readonly<Record<string, string>> = { ...letterEscapes, "\\": "\\" }

/** Differences between the commands that decode escapes. */
export interface EscapeOptions {
  /** Whether `\0nnn` is octal (`echo`, `%b`), besides `\nnn`. */
  readonly zeroOctal?: boolean
  /** Whether `\nnn` is octal. Default: `true`. */
  readonly octal?: boolean
  /** More characters that lose their backslash: `"'?`. */
  readonly quotes?: string
  /** Whether `\c` ends the output. */
  readonly stop?: boolean
}

/** Decodes one escape; returns its text and its length with the backslash, or `undefined` to end the output. */
export const readEscape = (text: string, at: number, options: EscapeOptions): readonly [string, number] | undefined => {
  const next = text[at + 1]
  if (next === undefined) return ["\\", 1]
  const known = simple[next]
  if (known !== undefined) return [known, 2]
  if (options.quotes?.includes(next) === true) return [next, 2]
  if (next === "c" && options.stop === true) return undefined
  const octal = options.zeroOctal === true && next === "0"
    ? /^\\0([0-7]{0,3})/.exec(text.slice(at, at + 5))
    : options.octal === false
    ? null
    : /^\\([0-7]{1,3})/.exec(text.slice(at, at + 4))
  if (octal !== null) {
    return [byteCharacter(parseInt(octal[1] === "" ? "0" : octal[1] ?? "0", 8) & 0xff), octal[0].length]
  }
  const hex = /^\\x([0-9a-fA-F]{1,2})/.exec(text.slice(at, at + 4))
  if (hex !== null) return [byteCharacter(parseInt(hex[1] ?? "0", 16)), hex[0].length]
  const unicode = /^\\(?:u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))/.exec(text.slice(at, at + 10))
  if (unicode !== null) {
    const point = parseInt(unicode[1] ?? unicode[2] ?? "0", 16)
    return [point > 0x10ffff ? "\ufffd" : String.fromCodePoint(point), unicode[0].length]
  }
  return [`\\${next}`, 2]
}

/** A text without its escapes; `stopped` if `\c` ended it. */
interface Unescaped {
  readonly text: string
  readonly stopped: boolean
}

/** Decodes the escapes of a text. */
export function* unescapeInSteps(text: string, options: EscapeOptions): Coroutine<Unescaped> {
  const parts: Array<string> = []
  let part: Array<string> = []
  let from = 0
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", from)) {
    if (at > from) part.push(text.slice(from, at))
    const escape = readEscape(text, at, options)
    if (escape === undefined) return { text: parts.join("") + part.join(""), stopped: true }
    part.push(escape[0])
    from = at + escape[1]
    if (part.length >= stepsPerYield) {
      parts.push(part.join(""))
      part = []
      yield
    }
  }
  return { text: parts.join("") + part.join("") + text.slice(from), stopped: false }
}

/** Decodes the escapes of a text that is known to have few of them. */
export const unescapeText = (text: string, options: EscapeOptions): Unescaped =>
  runCoroutineSync(unescapeInSteps(text, options))

/** Quotes a text so that the shell reads it back: `printf %q`. */
export const quoteWord = (text: string): string => {
  if (text === "") return "''"
  if (/\p{Cc}|[\udc80-\udcff]/u.test(text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ""))) {
    return dollarQuote(text)
  }
  return text.replace(/[^\w@%+=:./~#\u0080-\uffff-]/g, "\\$&").replace(/(^|[=:])~/g, "$1\\~").replace(/^#/, "\\#")
}

/** The letters of escapes by their character; of `e` and `E` the last one. */
const letters: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...simple, "'": "'" }).map(([letter, character]) => [character, letter]),
)

const escapeOf = (character: string): string => {
  const code = character.charCodeAt(0)
  return `\\${letters.get(character) ?? (code >= 0xdc80 ? code - 0xdc00 : code).toString(8).padStart(3, "0")}`
}

/** Quotes a text as `$'…'`. */
function* dollarQuoteInSteps(text: string): Coroutine<string> {
  const parts: Array<string> = []
  for (let from = 0, end = 0; from < text.length; from = end) {
    end = from + stepsPerYield
    // A surrogate pair stays together.
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? "")) end++
    // deno-lint-ignore no-control-regex
    parts.push(text.slice(from, end).replace(/[\0-\x1f\x7f'\\\udc80-\udcff]/gu, escapeOf))
    if (end < text.length) yield
  }
  return `$'${parts.join("")}'`
}

/** Quotes a text as `$'…'`. */
export const dollarQuote = (text: string): string => runCoroutineSync(dollarQuoteInSteps(text))

/** Quotes a text with double quotes, as `declare -p` does. */
export const doubleQuote = (text: string): string => `"${text.replace(/["\\$`]/g, "\\$&")}"`

/** Quotes a text with single quotes, as `${x@Q}` and `trap` do. */
export const singleQuote = (text: string): string => runCoroutineSync(singleQuoteInSteps(text))

/** {@link singleQuote} for a text of any length. */
export function* singleQuoteInSteps(text: string): Coroutine<string> {
  if (text === "'") return "\\'"
  return /\p{Cc}/u.test(text) ? yield* dollarQuoteInSteps(text) : `'${text.replaceAll("'", "'\\''")}'`
}

/** Quotes a text with single quotes only if necessary, as `set` does. */
export const quoteValue = (text: string): string =>
  /[\s'"\\|&;()<>!{}*[\]?^$`]|\p{Cc}|^#|(^|[=:])~/u.test(text) ? singleQuote(text) : text
