/** Decodes the escapes of `echo -e` and `printf`, and quotes text as `printf %q`, `declare -p`, `set` and `trap` do. */
import { letterEscapes } from "../../../shell-language/parse/decodeAnsi.ts"
import { byteCharacter, hasCharacter, joinBytes, mapPieces } from "../characters.ts"
import { type Coroutine, runCoroutineSync, stepsPerYield } from "../../Coroutine.ts"
import type { Variable } from "../Variable.ts"

/** Elements of an array that are quoted between two yields. */
const elementsPerYield = 4_096

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

/** Decodes the escapes of a short text: `stat --printf`, `find -printf`. */
export const decodeEscapes = (text: string): string => joinBytes(unescapeText(text, { stop: true }).text)

/** Quotes a text so that the shell reads it back: `printf %q`. */
export const backslashQuote = (text: string): string => {
  if (text === "") return "''"
  if (/\p{Cc}|[\udc80-\udcff]/u.test(text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ""))) {
    return runCoroutineSync(dollarQuoteInSteps(text))
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

function* dollarQuoteInSteps(text: string): Coroutine<string> {
  // deno-lint-ignore no-control-regex
  const special = /[\0-\x1f\x7f'\\\udc80-\udcff]/gu
  return `$'${yield* mapPieces(text, (piece) => piece.replace(special, escapeOf), stepsPerYield)}'`
}

/** Quotes a text with double quotes, as `declare -p` does. */
export function* doubleQuoteInSteps(text: string): Coroutine<string> {
  return `"${yield* mapPieces(text, (piece) => piece.replace(/["\\$`]/g, "\\$&"))}"`
}

/** Quotes a text with single quotes, as `${x@Q}` and `trap` do. */
export const singleQuote = (text: string): string => runCoroutineSync(singleQuoteInSteps(text))

/** Matches control characters, and bytes that are not text. */
const unprintable: RegExp = /\p{Cc}|[\udc80-\udcff]/u

/** {@link singleQuote} for a text of any length. */
export function* singleQuoteInSteps(text: string): Coroutine<string> {
  if (text === "'") return "\\'"
  if (yield* hasCharacter(text, unprintable)) return yield* dollarQuoteInSteps(text)
  return `'${yield* mapPieces(text, (piece) => piece.replaceAll("'", "'\\''"))}'`
}

/** Whether a text without control characters must be quoted for the shell. */
function* isSpecial(text: string): Coroutine<boolean> {
  return /^[#~]/.test(text) || text.includes("=~") || text.includes(":~") ||
    (yield* hasCharacter(text, /[\s'"\\|&;()<>!{}*[\]?^$`]|\p{Cc}/u))
}

/** {@link quoteValue} for a text of any length. */
export function* quoteValueInSteps(text: string): Coroutine<string> {
  return (yield* isSpecial(text)) ? yield* singleQuoteInSteps(text) : text
}

/** Quotes a text with single quotes only if necessary, as `set` does. */
export const quoteValue = (text: string): string => runCoroutineSync(quoteValueInSteps(text))

/** Quotes a value as `declare -p` does. */
export function* quoteElement(text: string): Coroutine<string> {
  return yield* (yield* hasCharacter(text, unprintable)) ? dollarQuoteInSteps(text) : doubleQuoteInSteps(text)
}

function* quoteKey(text: string): Coroutine<string> {
  const isQuoted = text === "" || text === "@" || (yield* isSpecial(text)) || (yield* hasCharacter(text, unprintable))
  return isQuoted ? yield* quoteElement(text) : text
}

/**
 * The elements of an array as `declare -p` and `${x[@]@K}` print them: the quoted key as formatted by `show`, and the
 * value.
 */
export function* elementsInSteps({ entries, table }: Variable, show: (key: string) => string): Coroutine<string> {
  const elements: Array<string> = []
  for (const [key, value] of entries) {
    elements.push(show(yield* quoteKey(key)) + (yield* quoteElement(value)))
    if (elements.length % elementsPerYield === 0) yield
  }
  return elements.join(" ") + (table !== undefined && elements.length > 0 ? " " : "")
}

export function* arrayInSteps(variable: Variable): Coroutine<string> {
  return `(${yield* elementsInSteps(variable, (key) => `[${key}]=`)})`
}
