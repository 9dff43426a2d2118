/**
 * Text as it reads when the escapes of common programs are decoded, and where each part of it stood.
 *
 * Sources: RFC 8259 (JSON), RFC 3986 (URLs), the HTML Standard (named character references), bash(1) "QUOTING" (`$'…'`),
 * RFC 2045 and RFC 7468 (lines of base64).
 *
 * @module
 */

/** Decoded text. Its positions are told in those of the text that it was decoded from. */
export interface DecodedText {
  readonly text: string
  /** Where a character begins. */
  readonly startOf: (index: number) => number
  /** Where the character before an index ends. */
  readonly endOf: (index: number) => number
}

/** An escape has at most so many characters. */
export const maxEscapeLength = 40

/** Backslashes that are one escape with the character after them: JSON in JSON in JSON has seven. */
const maxBackslashes = 16

/** Layers of `%25` and `&amp;` that are one escape with what follows. */
const maxLayers = 4

/** Quotes, each with its backslashes, that are one. */
const maxQuotes = 16

/** Digits that end a line of base64, hex or base32 that goes on in the next; programs break lines at 60 to 76. */
const minLineDigits = 16

/** White space that may begin such a next line. */
const maxIndent = 8

const controls: ReadonlyMap<string, string> = new Map([
  ["a", "\x07"],
  ["b", "\b"],
  ["e", "\x1b"],
  ["E", "\x1b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
])

const asciiNames =
  "33 excl 34 quot 35 num 36 dollar 37 percnt 38 amp 39 apos 40 lpar 41 rpar 42 ast 43 plus 44 comma 46 period 47 sol " +
  "58 colon 59 semi 60 lt 61 equals 62 gt 63 quest 64 commat 91 lbrack 91 lsqb 92 bsol 93 rbrack 93 rsqb 94 Hat " +
  "95 lowbar 96 grave 123 lbrace 123 lcub 124 vert 124 verbar 125 rbrace 125 rcub"

const latinNames =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 " +
  "acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig " +
  "Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash " +
  "Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc " +
  "euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml " +
  "yacute thorn yuml"

const named: ReadonlyMap<string, string> = new Map([
  ...[...asciiNames.matchAll(/(\d+) (\w+)/g)].map(([, code, name]) =>
    [name ?? "", String.fromCharCode(Number(code))] as const
  ),
  ...latinNames.split(" ").map((name, index) => [name, String.fromCharCode(160 + index)] as const),
])

const hexValues = new Int8Array(128).fill(-1)
for (const [value, character] of [..."0123456789abcdef"].entries()) {
  hexValues[character.charCodeAt(0)] = hexValues[character.toUpperCase().charCodeAt(0)] = value
}

const isDigit = new Uint8Array(128)
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-") {
  isDigit[character.charCodeAt(0)] = 1
}

const backslash = 92

const isQuote = (code: number): boolean => code === 39 || code === 34

/** The number of so many hexadecimal digits; -1 where they are not there. */
const hexAt = (text: string, at: number, count: number): number => {
  let value = 0
  for (let index = at; index < at + count; index++) {
    const digit = hexValues[text.charCodeAt(index)] ?? -1
    if (digit < 0) return -1
    value = value * 16 + digit
  }
  return value
}

const ofPoint = (point: number): string => point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd"

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** One escape: what it stands for, and where it ends. `byte` is that of one that is a byte. */
interface Escape {
  readonly text: string
  readonly end: number
  readonly byte?: number
}

const ofByte = (byte: number, end: number): Escape => ({ text: String.fromCharCode(byte), end, byte })

/** Where the backslashes at a place end. */
const afterBackslashes = (text: string, at: number): number => {
  while (text.charCodeAt(at) === backslash) at++
  return at
}

/** As in JSON, C, `$'…'` and `printf %q`; `at` is that of the character after the backslashes. */
const backslashEscape = (text: string, at: number): Escape | undefined => {
  const character = text.charAt(at)
  switch (character) {
    case "":
      return undefined
    case "u": {
      const unit = hexAt(text, at + 1, 4)
      if (unit >= 0) return { text: String.fromCharCode(unit), end: at + 5 }
      const close = text.charAt(at + 1) === "{" ? text.slice(at + 2, at + 9).indexOf("}") : -1
      const point = close > 0 ? hexAt(text, at + 2, close) : -1
      if (point >= 0) return { text: ofPoint(point), end: at + 3 + close }
      break
    }
    case "U": {
      const point = hexAt(text, at + 1, 8)
      if (point >= 0) return { text: ofPoint(point), end: at + 9 }
      break
    }
    case "x":
      for (const count of [2, 1]) {
        const byte = hexAt(text, at + 1, count)
        if (byte >= 0) return ofByte(byte, at + 1 + count)
      }
      break
    default: {
      let [end, value] = [at, 0]
      for (let digit = text.charCodeAt(end) - 48; digit >= 0 && digit < 8 && end < at + 3; end++) {
        value = value * 8 + digit
        digit = text.charCodeAt(end + 1) - 48
      }
      if (end > at) return ofByte(value & 0xff, end)
    }
  }
  return { text: controls.get(character) ?? character, end: at + 1 }
}

/** As in a URL; `%2541` is `%41` in a URL within a URL. */
const percentEscape = (text: string, at: number): Escape | undefined => {
  let digits = at + 1
  for (let layer = 0; layer < maxLayers && text.startsWith("25", digits); layer++) {
    if (hexAt(text, digits + 2, 2) < 0) break
    digits += 2
  }
  const byte = hexAt(text, digits, 2)
  return byte < 0 ? undefined : ofByte(byte, digits + 2)
}

const entity = /(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{2,6}\d{0,2}));/y

/** As in HTML and XML. */
const entityEscape = (text: string, at: number): Escape | undefined => {
  let found: Escape | undefined
  for (let [layer, start] = [0, at + 1]; layer <= maxLayers; layer++, start += 4) {
    entity.lastIndex = start
    const [, decimal, hexadecimal, name] = entity.exec(text) ?? []
    const code = decimal !== undefined ? Number(decimal) : parseInt(hexadecimal ?? "", 16)
    const character = name === undefined ? Number.isNaN(code) ? undefined : ofPoint(code) : named.get(name)
    if (character !== undefined) found = { text: character, end: entity.lastIndex }
    if (!text.startsWith("amp;", start)) break
  }
  return found
}

/** Quotes in a row, with or without backslashes: `'\''`, `'"'"'`, `''` and `\"` all stand for one. */
const quoteEscape = (text: string, at: number): Escape | undefined => {
  let end = at
  for (let count = 0; count < maxQuotes; count++) {
    const quote = afterBackslashes(text, end)
    if (quote - end > maxBackslashes || !isQuote(text.charCodeAt(quote))) break
    end = quote + 1
  }
  return end - at < 2 ? undefined : { text: "'", end }
}

/** Whether a line that ends at a place is one of digits alone, or ends in many. */
const endsInDigits = (text: string, end: number): boolean => {
  const start = end - minLineDigits
  if (start < 0) return false
  for (let at = end - 1; at >= start; at--) if (isDigit[text.charCodeAt(at)] !== 1) return false
  return true
}

/** Where the line of digits before a newline ends. */
const lineEnd = (text: string, newline: number): number => text.charCodeAt(newline - 1) === 13 ? newline - 1 : newline

/** The end of a line of digits that goes on in the next line: nothing is there when both are one. */
const lineBreak = (text: string, newline: number): Escape | undefined => {
  if (!endsInDigits(text, lineEnd(text, newline))) return undefined
  let end = newline + 1
  while (end <= newline + maxIndent && (text.charCodeAt(end) === 32 || text.charCodeAt(end) === 9)) end++
  const next = text.charCodeAt(end)
  return isDigit[next] === 1 || next === 61 ? { text: "", end } : undefined
}

const byteEscape = (text: string, at: number): Escape | undefined => {
  const code = text.charCodeAt(at)
  return code === 37
    ? percentEscape(text, at)
    : code === backslash
    ? backslashEscape(text, afterBackslashes(text, at))
    : undefined
}

/** A character of several bytes, each escaped, of which the first is given. */
const manyBytes = (text: string, { byte: first = 0, end }: Escape): Escape | undefined => {
  const count = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0
  const bytes = [first]
  while (bytes.length < count) {
    const next = byteEscape(text, end)
    if (next?.byte === undefined || (next.byte & 0xc0) !== 0x80) return undefined
    bytes.push(next.byte)
    end = next.end
  }
  if (count === 0) return undefined
  // Bytes that are no character become a replacement character each: at least three. An exception would cost more.
  const decoded = utf8.decode(Uint8Array.from(bytes))
  return decoded.length > 2 ? undefined : { text: decoded, end }
}

/** Positions of a text that was decoded: between escapes it goes on as it was. */
class Positions {
  /** Of each escape: where it stands when it is decoded, from and to, and where it stood, from and to. */
  readonly #all: Array<number> = []

  add(at: number, length: number, from: number, to: number): void {
    this.#all.push(at, at + length, from, to)
  }

  startOf(index: number): number {
    const last = this.#last(index)
    if (last < 0) return index
    const [, end = 0, from = 0, to = 0] = this.#all.slice(last, last + 4)
    return index < end ? from : to + index - end
  }

  endOf(index: number): number {
    const last = this.#last(index - 1)
    if (last < 0) return index
    const [, end = 0, , to = 0] = this.#all.slice(last, last + 4)
    return to + Math.max(0, index - end)
  }

  /** The last escape that begins at or before an index. */
  #last(index: number): number {
    let low = -1
    let high = this.#all.length / 4 - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#all[4 * middle] ?? 0) <= index) low = middle
      else high = middle - 1
    }
    return 4 * low
  }
}

/** The next character that may begin an escape: of most text few do. */
const nextMark = (text: string, from: number, hasQuotes: boolean): number => {
  const { length } = text
  for (let at = from; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code > 39 && code !== backslash) continue
    if (code === backslash || code === 37 || code === 38 || code === 10 || (hasQuotes && isQuote(code))) return at
  }
  return length
}

/** Decodes each escape once; `undefined` when there is none. */
const decodeOnce = (text: string, hasQuotes: boolean): DecodedText | undefined => {
  const { length } = text
  let positions: Positions | undefined
  // Joined at the end: a text of many small parts is slow to read.
  const parts: Array<string> = []
  let out = 0
  let done = 0
  for (let at = nextMark(text, 0, hasQuotes); at < length; at = nextMark(text, at + 1, hasQuotes)) {
    const code = text.charCodeAt(at)
    let start = at
    let found: Escape | undefined
    if (code === backslash) {
      const after = afterBackslashes(text, at)
      start = Math.max(at, after - maxBackslashes)
      const isQuoted = hasQuotes && isQuote(text.charCodeAt(after))
      found = isQuoted ? quoteEscape(text, start) : backslashEscape(text, after)
      // At the end of the text.
      if (found === undefined) break
    } else if (code === 37) found = percentEscape(text, at)
    else if (code === 38) found = entityEscape(text, at)
    else if (code === 10) {
      found = lineBreak(text, at)
      start = lineEnd(text, at)
    } else if (hasQuotes && isQuote(code)) found = quoteEscape(text, at)
    if (found === undefined) continue
    const { end, text: character } = found.byte !== undefined && found.byte > 127
      ? manyBytes(text, found) ?? found
      : found
    parts.push(text.slice(done, start), character)
    out += start - done
    positions ??= new Positions()
    positions.add(out, character.length, start, end)
    out += character.length
    done = end
    at = end - 1
  }
  if (positions === undefined) return undefined
  const all = positions
  const whole = parts.join("") + text.slice(done)
  return {
    text: hasQuotes ? whole.replaceAll('"', "'") : whole,
    startOf: (index) => all.startOf(index),
    endOf: (index) => all.endOf(index),
  }
}

/** What is escaped within what is escaped is looked at so deep: JSON in JSON in a URL. */
const maxDepth = 4

/** Characters before a place that decide whether an escape is there. */
export const contextLength: number = 2 * maxBackslashes

const hex = "[0-9a-fA-F]"
const slashes = String.raw`\\{1,16}`
const percent = "%(?:25){0,4}"

/** The beginning of an escape, or of a character of several bytes, whose end is still to come. */
const incomplete = new RegExp(
  `^(?:${slashes}(?:x[89a-fA-F]${hex}|[23][0-7]{2})|${percent}[89a-fA-F]${hex}){0,3}` +
    `(?:(?:\\\\{0,16}['"]){1,16}\\\\{0,16}|` +
    `${slashes}(?:u\\{?${hex}{0,6}|U${hex}{0,7}|x${hex}{0,2}|[0-7]{0,3})?|${percent}${hex}?|` +
    `&(?:amp;){0,4}(?:#\\d{0,7}|#[xX]${hex}{0,6}|[A-Za-z]{0,6}\\d{0,2})?)?$`,
)

/** Where the beginning of an escape stands at the end of a text; its end when there is none. */
export const incompleteEscape = (text: string, hasQuotes: boolean): number => {
  const tail = text.slice(-4 * maxEscapeLength)
  const { length } = tail
  // A letter or digit is the end of nothing unless one of these is near.
  const begins = Math.max(tail.lastIndexOf("\\"), tail.lastIndexOf("%"), tail.lastIndexOf("&"))
  const quote = hasQuotes && isQuote(tail.charCodeAt(length - 1))
  if (begins < length - maxEscapeLength && !quote) return text.length
  for (let start = Math.max(0, length - 3 * maxEscapeLength); start < length; start++) {
    const code = tail.charCodeAt(start)
    if (code !== backslash && code !== 37 && code !== 38 && !(hasQuotes && isQuote(code))) continue
    const found = incomplete.exec(tail.slice(start))
    if (found !== null && (hasQuotes || !/^['"]/.test(found[0]))) return text.length - length + start
  }
  return text.length
}

/** Where a line of digits ends at the end of a text, and may go on; its end when there is none. */
export const incompleteLine = (text: string): number => {
  let end = text.length
  while (end > text.length - maxIndent && (text.charCodeAt(end - 1) === 32 || text.charCodeAt(end - 1) === 9)) end--
  if (text.charCodeAt(end - 1) === 10) end--
  else if (end < text.length) return text.length
  if (text.charCodeAt(end - 1) === 13) end--
  return end < text.length && endsInDigits(text, end) ? end : text.length
}

/** What a step of decoding has come to. */
export interface DecodedStep extends DecodedText {
  /** Where an escape begins whose end is still to come: the text ends there. Else `undefined`. */
  readonly rest: number | undefined
}

const cutStep = (step: DecodedText, hasQuotes: boolean, isPart: boolean): DecodedStep => {
  const { length } = step.text
  const end = isPart ? Math.min(incompleteEscape(step.text, hasQuotes), incompleteLine(step.text)) : length
  return end === length
    ? { ...step, rest: undefined }
    : { ...step, text: step.text.slice(0, end), rest: incompleteEscape(step.text, hasQuotes) === end ? end : undefined }
}

/**
 * Decodes a text again and again; answers with what it is after each step that changed something. With quotes, each is a
 * single one in the answer. Of a text that is only a part each step leaves out the beginning of an escape at its end.
 */
export const decodeEscapes = (text: string, hasQuotes: boolean, isPart: boolean): ReadonlyArray<DecodedStep> => {
  const steps: Array<DecodedStep> = []
  let last: DecodedText | undefined = decodeOnce(text, hasQuotes)
  while (last !== undefined && steps.length < maxDepth) {
    const before: DecodedStep = cutStep(last, hasQuotes, isPart)
    steps.push(before)
    const next = decodeOnce(before.text, hasQuotes)
    last = next && {
      text: next.text,
      startOf: (index) => before.startOf(next.startOf(index)),
      endOf: (index) => before.endOf(next.endOf(index)),
    }
  }
  return steps
}

/** A text as it reads when everything is decoded. */
export const decodedText = (text: string, hasQuotes: boolean): string => {
  const decoded = decodeEscapes(text, hasQuotes, false).at(-1)?.text ?? text
  return hasQuotes ? decoded.replaceAll('"', "'") : decoded
}

/** Whether an escape may begin at a place that `indexOf` has found. */
const mayBegin = (text: string, at: number): boolean => {
  const next = text.charCodeAt(at + 1)
  switch (text.charCodeAt(at)) {
    case 37:
      return (hexValues[next] ?? -1) >= 0 && (hexValues[text.charCodeAt(at + 2)] ?? -1) >= 0
    case 38:
      return next === 35 || text.slice(at + 3, at + 10).includes(";")
    default:
      return true
  }
}

/**
 * Where escapes may stand in a text, in order. Nearly all text has few, and is only looked at by `indexOf`. Doubled quotes
 * are escapes only to a secret that has one.
 */
export const escapesIn = (text: string, hasQuotes: boolean): ReadonlyArray<number> => {
  const found: Array<number> = []
  let marks = 0
  const add = (mark: string): void => {
    const before = found.length
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
      if (mayBegin(text, at)) found.push(at)
    }
    if (found.length > before) marks++
  }
  add("\\")
  add("%")
  add("&")
  if (hasQuotes) { for (const mark of [`''`, `""`, `'"`, `"'`]) add(mark) }
  return marks > 1 ? found.sort((a, b) => a - b) : found
}

/** Ends of lines of digits that go on in the next line, from an index on. */
export const lineBreaksIn = (text: string, from: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = text.indexOf("\n", from); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (endsInDigits(text, lineEnd(text, at))) found.push(at)
  }
  return found
}
