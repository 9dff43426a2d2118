/**
 * Reads one escape of JSON, C, shells, URLs or HTML at an index of a text, or a line break within base64, hex or
 * base32 digits.
 *
 * Sources: RFC 8259 (JSON), RFC 3986 (URLs), the HTML Standard (named character references), bash(1) "QUOTING" (`$'…'`),
 * RFC 2045 and RFC 7468 (lines of base64).
 */
/** Maximum length of an escape. */
export const maxEscapeLength = 40

/** Maximum number of backslashes that form one escape with the next character: JSON in JSON in JSON has seven. */
export const maxBackslashes = 16

/** Maximum number of layers of `%25` or `&amp;` in one escape. */
const maxLayers = 4

/** Maximum number of consecutive quotes, with their backslashes, that form one escape. */
const maxQuotes = 16

/** Minimum number of digits at the end of a broken line of base64, hex or base32: programs break at 60 to 76. */
const minLineDigits = 16

/** Maximum indentation of the next such line. */
export const maxIndent = 8

const controlEscapes: ReadonlyMap<string, string> = new Map([
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

/** Code points and names of HTML's character references for ASCII. */
const asciiNames =
  "33 excl 34 quot 35 num 36 dollar 37 percnt 38 amp 39 apos 40 lpar 41 rpar 42 ast 43 plus 44 comma 46 period 47 sol " +
  "58 colon 59 semi 60 lt 61 equals 62 gt 63 quest 64 commat 91 lbrack 91 lsqb 92 bsol 93 rbrack 93 rsqb 94 Hat " +
  "95 lowbar 96 grave 123 lbrace 123 lcub 124 vert 124 verbar 125 rbrace 125 rcub"

/** Names of HTML's character references for U+00A0 to U+00FF. */
const latinNames =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 " +
  "acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig " +
  "Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash " +
  "Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc " +
  "euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml " +
  "yacute thorn yuml"

const charactersByName: ReadonlyMap<string, string> = new Map([
  ...[...asciiNames.matchAll(/(\d+) (\w+)/g)].map(([, code, name]) =>
    [name ?? "", String.fromCharCode(Number(code))] as const
  ),
  ...latinNames.split(" ").map((name, index) => [name, String.fromCharCode(160 + index)] as const),
])

export const hexValues: Int8Array = new Int8Array(128).fill(-1)
for (const [value, character] of [..."0123456789abcdef"].entries()) {
  hexValues[character.charCodeAt(0)] = hexValues[character.toUpperCase().charCodeAt(0)] = value
}

/** 1 for the digits of base64, base64url, hex and base32, by ASCII code. */
const encodingDigits = new Uint8Array(128)
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-") {
  encodingDigits[character.charCodeAt(0)] = 1
}

export const backslash = 92
export const percent = 37
export const ampersand = 38
export const lineFeed = 10

/** Whether a character code is `'` or `"`. */
export const isQuote = (code: number): boolean => code === 39 || code === 34

/** The value of a number of hexadecimal digits; -1 when one is missing. */
const readHex = (text: string, at: number, count: number): number => {
  let value = 0
  for (let index = at; index < at + count; index++) {
    const digit = hexValues[text.charCodeAt(index)] ?? -1
    if (digit < 0) return -1
    value = value * 16 + digit
  }
  return value
}

const fromCodePoint = (point: number): string => point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd"

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** One escape. */
export interface Escape {
  /** The decoded character. */
  readonly text: string
  /** Exclusive end. */
  readonly end: number
  /** The byte, when the escape denotes one. */
  readonly byte?: number
}

const fromByte = (byte: number, end: number): Escape => ({ text: String.fromCharCode(byte), end, byte })

/** The index after the backslashes at an index. */
export const skipBackslashes = (text: string, at: number): number => {
  while (text.charCodeAt(at) === backslash) at++
  return at
}

/** Reads an escape of JSON, C, `$'…'` or `printf %q`; `at` is the index after the backslashes. */
export const readBackslashEscape = (text: string, at: number): Escape | undefined => {
  const character = text.charAt(at)
  switch (character) {
    case "":
      return undefined
    case "u": {
      const unit = readHex(text, at + 1, 4)
      if (unit >= 0) return { text: String.fromCharCode(unit), end: at + 5 }
      const close = text.charAt(at + 1) === "{" ? text.slice(at + 2, at + 9).indexOf("}") : -1
      const point = close > 0 ? readHex(text, at + 2, close) : -1
      if (point >= 0) return { text: fromCodePoint(point), end: at + 3 + close }
      break
    }
    case "U": {
      const point = readHex(text, at + 1, 8)
      if (point >= 0) return { text: fromCodePoint(point), end: at + 9 }
      break
    }
    case "x":
      for (const count of [2, 1]) {
        const byte = readHex(text, at + 1, count)
        if (byte >= 0) return fromByte(byte, at + 1 + count)
      }
      break
    default: {
      let [end, value] = [at, 0]
      for (let digit = text.charCodeAt(end) - 48; digit >= 0 && digit < 8 && end < at + 3; end++) {
        value = value * 8 + digit
        digit = text.charCodeAt(end + 1) - 48
      }
      if (end > at) return fromByte(value & 0xff, end)
    }
  }
  return { text: controlEscapes.get(character) ?? character, end: at + 1 }
}

/** Reads an escape of a URL; `%2541` is `%41` in a URL within a URL. */
export const readPercentEscape = (text: string, at: number): Escape | undefined => {
  let digits = at + 1
  for (let layer = 0; layer < maxLayers && text.startsWith("25", digits); layer++) {
    if (readHex(text, digits + 2, 2) < 0) break
    digits += 2
  }
  const byte = readHex(text, digits, 2)
  return byte < 0 ? undefined : fromByte(byte, digits + 2)
}

const entity = /(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{2,6}\d{0,2}));/y

/** Reads a character reference of HTML or XML. */
export const readEntity = (text: string, at: number): Escape | undefined => {
  let found: Escape | undefined
  for (let [layer, start] = [0, at + 1]; layer <= maxLayers; layer++, start += 4) {
    entity.lastIndex = start
    const [, decimal, hexadecimal, name] = entity.exec(text) ?? []
    const code = decimal !== undefined ? Number(decimal) : parseInt(hexadecimal ?? "", 16)
    const character = name === undefined
      ? Number.isNaN(code) ? undefined : fromCodePoint(code)
      : charactersByName.get(name)
    if (character !== undefined) found = { text: character, end: entity.lastIndex }
    if (!text.startsWith("amp;", start)) break
  }
  return found
}

/** Reads consecutive quotes, with or without backslashes: `'\''`, `'"'"'`, `''` and `\"` all denote one quote. */
export const readQuotes = (text: string, at: number): Escape | undefined => {
  let end = at
  for (let count = 0; count < maxQuotes; count++) {
    const quote = skipBackslashes(text, end)
    if (quote - end > maxBackslashes || !isQuote(text.charCodeAt(quote))) break
    end = quote + 1
  }
  return end - at < 2 ? undefined : { text: "'", end }
}

/** Whether the line that ends at an index ends with enough digits to be broken. */
export const endsInDigits = (text: string, end: number): boolean => {
  const start = end - minLineDigits
  if (start < 0) return false
  for (let at = end - 1; at >= start; at--) if (encodingDigits[text.charCodeAt(at)] !== 1) return false
  return true
}

/** The end of the line before a line feed, without a carriage return. */
export const lineEndBefore = (text: string, newline: number): number =>
  text.charCodeAt(newline - 1) === 13 ? newline - 1 : newline

/** Reads a line break between digits: it decodes to nothing. */
export const readLineBreak = (text: string, newline: number): Escape | undefined => {
  if (!endsInDigits(text, lineEndBefore(text, newline))) return undefined
  let end = newline + 1
  while (end <= newline + maxIndent && (text.charCodeAt(end) === 32 || text.charCodeAt(end) === 9)) end++
  const next = text.charCodeAt(end)
  return encodingDigits[next] === 1 || next === 61 ? { text: "", end } : undefined
}

/** Reads an escape that may denote a byte. */
const readByteEscape = (text: string, at: number): Escape | undefined => {
  const code = text.charCodeAt(at)
  return code === 37
    ? readPercentEscape(text, at)
    : code === backslash
    ? readBackslashEscape(text, skipBackslashes(text, at))
    : undefined
}

/** Reads the rest of a UTF-8 character whose bytes are escaped each; the first byte is given. */
export const readMultiByte = (text: string, { byte: first = 0, end }: Escape): Escape | undefined => {
  const count = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0
  const bytes = [first]
  while (bytes.length < count) {
    const next = readByteEscape(text, end)
    if (next?.byte === undefined || (next.byte & 0xc0) !== 0x80) return undefined
    bytes.push(next.byte)
    end = next.end
  }
  if (count === 0) return undefined
  // Each byte of an invalid sequence becomes a replacement character: at least three. An exception would cost more.
  const decoded = utf8.decode(Uint8Array.from(bytes))
  return decoded.length > 2 ? undefined : { text: decoded, end }
}
