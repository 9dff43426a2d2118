/**
 * Decodes and encodes text. Implements Unicode's encodings and Latin-1; older ones use the decoder of the runtime.
 * Source: Encoding Standard.
 */
import { sequenceLength } from "../../../base/utf8.ts"

/** Input that is not of the encoding. */
export class IllegalInput extends Error {
  /** The text decoded before it. */
  readonly before: string
  readonly position: number
  readonly isIncomplete: boolean

  constructor(before: string, position: number, isIncomplete = false) {
    super("illegal input")
    this.before = before
    this.position = position
    this.isIncomplete = isIncomplete
  }
}

export interface StreamDecoder {
  /** Whether something was left out. */
  readonly hasDropped: boolean
  /** Decodes a piece. Throws `IllegalInput`. */
  readonly decode: (bytes: Uint8Array, isLast: boolean) => string
}

export interface StreamEncoder {
  /** Encodes a piece; `missing` returns what is written instead of a character that the encoding lacks. */
  readonly encode: (text: string, missing: (character: string, at: number) => string) => Uint8Array
  readonly can: (text: string) => boolean
}

export interface TextEncoding {
  readonly name: string
  readonly decoder: (drops: boolean) => StreamDecoder
  readonly encoder?: (() => StreamEncoder) | undefined
}

/** Reads one character: its code point and its bytes; 0 bytes if it is not complete, -1 as code point if it is illegal. */
type ReadCharacter = (bytes: Uint8Array, at: number) => readonly [codePoint: number, length: number]

/** Decodes by characters, and keeps an unfinished one for the next piece. */
class CharacterDecoder implements StreamDecoder {
  readonly #read: ReadCharacter
  readonly #drops: boolean
  #rest: Uint8Array = new Uint8Array()
  #position = 0
  hasDropped = false

  constructor(read: ReadCharacter, drops: boolean) {
    this.#read = read
    this.#drops = drops
  }

  decode(piece: Uint8Array, isLast: boolean): string {
    const bytes = new Uint8Array(this.#rest.length + piece.length)
    bytes.set(this.#rest)
    bytes.set(piece, this.#rest.length)
    const parts: Array<string> = []
    let codes: Array<number> = []
    let at = 0
    const text = (): string => {
      parts.push(String.fromCodePoint(...codes))
      codes = []
      return parts.join("")
    }
    while (at < bytes.length) {
      const [code, length] = this.#read(bytes, at)
      if (length === 0) break
      if (code >= 0) codes.push(code)
      else if (this.#drops) this.hasDropped = true
      else throw new IllegalInput(text(), this.#position + at)
      at += length
      if (codes.length === 4_096) {
        parts.push(String.fromCodePoint(...codes))
        codes = []
      }
    }
    this.#rest = bytes.slice(at)
    this.#position += at
    if (isLast && this.#rest.length > 0) {
      if (!this.#drops) throw new IllegalInput(text(), this.#position, true)
      this.hasDropped = true
    }
    return text()
  }
}

const readUtf8: ReadCharacter = (bytes, at) => {
  const first = bytes[at] ?? 0
  if (first < 0x80) return [first, 1]
  const length = sequenceLength(first)
  if (length === 0) return [-1, 1]
  let code = first & (0x7f >> length)
  for (let index = 1; index < length; index++) {
    const next = bytes[at + index]
    if (next === undefined) return [0, 0]
    if ((next & 0xc0) !== 0x80) return [-1, 1]
    code = code << 6 | next & 0x3f
  }
  const isShort = length === 3 && code < 0x800 || length === 4 && code < 0x10000
  return isShort || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? [-1, 1] : [code, length]
}

const readUtf16 = (isLittle: boolean): ReadCharacter => (bytes, at) => {
  const unit = (from: number): number =>
    (bytes[from + (isLittle ? 1 : 0)] ?? 0) << 8 | (bytes[from + (isLittle ? 0 : 1)] ?? 0)
  if (at + 2 > bytes.length) return [0, 0]
  const high = unit(at)
  if (high < 0xd800 || high >= 0xe000) return [high, 2]
  if (high >= 0xdc00) return [-1, 2]
  if (at + 4 > bytes.length) return [0, 0]
  const low = unit(at + 2)
  return low < 0xdc00 || low >= 0xe000 ? [-1, 2] : [0x10000 + (high - 0xd800) * 1024 + low - 0xdc00, 4]
}

const readUtf32 = (isLittle: boolean): ReadCharacter => (bytes, at) => {
  if (at + 4 > bytes.length) return [0, 0]
  const code = new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, isLittle)
  return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? [-1, 4] : [code, 4]
}

/** Looks for a byte order mark first; without one the bytes are little-endian, as on x86. */
const marked = (width: 2 | 4, make: (isLittle: boolean) => ReadCharacter): TextEncoding["decoder"] => (drops) => {
  let decoder: StreamDecoder | undefined
  let head = new Uint8Array()
  return {
    get hasDropped() {
      return decoder?.hasDropped === true
    },
    decode: (piece, isLast) => {
      if (decoder !== undefined) return decoder.decode(piece, isLast)
      const bytes = new Uint8Array([...head, ...piece.subarray(0, width)])
      if (bytes.length < width && !isLast) {
        head = bytes
        return ""
      }
      const code = (isLittle: boolean): number => make(isLittle)(bytes, 0)[0]
      const isBig = bytes.length >= width && code(true) !== 0xfeff && code(false) === 0xfeff
      decoder = new CharacterDecoder(make(!isBig), drops)
      const all = new Uint8Array([...head, ...piece])
      const hasMark = all.length >= width && (isBig || code(true) === 0xfeff)
      return decoder.decode(hasMark ? all.subarray(width) : all, isLast)
    },
  }
}

const unicodeEncoder = (width: 2 | 4, isLittle: boolean, hasMark: boolean): TextEncoding["encoder"] => () => {
  let isFirst = hasMark
  return {
    can: () => true,
    encode: (text) => {
      if (text === "") return new Uint8Array()
      const codes = width === 2
        ? Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
        : Array.from(text, (character) => character.codePointAt(0) ?? 0)
      if (isFirst) codes.unshift(0xfeff)
      isFirst = false
      const view = new DataView(new ArrayBuffer(codes.length * width))
      for (const [at, code] of codes.entries()) {
        if (width === 2) view.setUint16(at * 2, code, isLittle)
        else view.setUint32(at * 4, code, isLittle)
      }
      return new Uint8Array(view.buffer)
    },
  }
}

/** Encodes by a table of the bytes of characters. */
const tableEncoder = (tableOf: () => ReadonlyMap<string, number>): TextEncoding["encoder"] => () => {
  const table = tableOf()
  return {
    can: (text) => Array.from(text).every((character) => table.has(character)),
    encode: (text, missing) => {
      const bytes: Array<number> = []
      let at = 0
      for (const character of text) {
        const byte = table.get(character)
        if (byte !== undefined) bytes.push(byte)
        else for (const other of missing(character, at)) bytes.push(table.get(other) ?? 63)
        at += character.length
      }
      return Uint8Array.from(bytes)
    },
  }
}

const range = (limit: number) => (): ReadonlyMap<string, number> =>
  new Map(Array.from({ length: limit }, (_, code) => [String.fromCharCode(code), code]))

const byteEncoding = (name: string, limit: number): TextEncoding => ({
  name,
  decoder: (drops) => new CharacterDecoder((bytes, at) => [(bytes[at] ?? 0) < limit ? bytes[at] ?? 0 : -1, 1], drops),
  encoder: tableEncoder(range(limit)),
})

const utf8: TextEncoding = {
  name: "UTF-8",
  decoder: (drops) => new CharacterDecoder(readUtf8, drops),
  encoder: () => ({ can: () => true, encode: (text) => new TextEncoder().encode(text) }),
}

const unicode = (name: string, width: 2 | 4, isLittle: boolean, isMarked: boolean): TextEncoding => {
  const make = width === 2 ? readUtf16 : readUtf32
  return {
    name,
    decoder: isMarked ? marked(width, make) : (drops) => new CharacterDecoder(make(isLittle), drops),
    encoder: unicodeEncoder(width, isLittle, isMarked),
  }
}

const own: ReadonlyMap<string, TextEncoding> = new Map([
  ...["UTF8", "UTF-8"].map((name) => [name, utf8] as const),
  ...["ASCII", "US-ASCII", "ANSI_X3.4-1968", "646", "C"].map((name) => [name, byteEncoding("ASCII", 128)] as const),
  ...["LATIN1", "ISO-8859-1", "ISO8859-1", "ISO_8859-1", "L1"].map((name) =>
    [name, byteEncoding("ISO-8859-1", 256)] as const
  ),
  ...(["UTF-16", "UTF16", "UNICODE", "UCS-2", "UCS2"] as const).map((name) =>
    [name, unicode("UTF-16", 2, true, true)] as const
  ),
  ...["UTF-16LE", "UTF16LE", "UCS-2LE"].map((name) => [name, unicode("UTF-16LE", 2, true, false)] as const),
  ...["UTF-16BE", "UTF16BE", "UCS-2BE"].map((name) => [name, unicode("UTF-16BE", 2, false, false)] as const),
  ...["UTF-32", "UTF32"].map((name) => [name, unicode("UTF-32", 4, true, true)] as const),
  ...["UTF-32LE", "UTF32LE", "UCS-4LE"].map((name) => [name, unicode("UTF-32LE", 4, true, false)] as const),
  ...["UTF-32BE", "UTF32BE", "UCS-4", "UCS4", "UCS-4BE"].map((name) =>
    [name, unicode("UTF-32BE", 4, false, false)] as const
  ),
])

/** The names of older encodings, with those of the Encoding Standard; multi-byte encodings can only be read. */
const older: ReadonlyArray<readonly [name: string, label: string, isSingleByte: boolean]> = [
  ...[2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16].map((part) => [`ISO-8859-${part}`, `iso-8859-${part}`, true] as const),
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((part) => [`CP125${part}`, `windows-125${part}`, true] as const),
  ...([["CP866", "ibm866", true], ["KOI8-R", "koi8-r", true], ["KOI8-U", "koi8-u", true], [
    "MACINTOSH",
    "macintosh",
    true,
  ]] as const),
  ...([["SHIFT_JIS", "shift_jis", false], ["EUC-JP", "euc-jp", false], ["ISO-2022-JP", "iso-2022-jp", false]] as const),
  ...([["EUC-KR", "euc-kr", false], ["GBK", "gbk", false], ["GB18030", "gb18030", false], [
    "BIG5",
    "big5",
    false,
  ]] as const),
]

const aliases: Readonly<Record<string, string>> = {
  ...{
    SJIS: "SHIFT_JIS",
    "SHIFT-JIS": "SHIFT_JIS",
    CP932: "SHIFT_JIS",
    GB2312: "GBK",
    CP936: "GBK",
    CP949: "EUC-KR",
    "BIG-5": "BIG5",
  },
  ...{ LATIN2: "ISO-8859-2", LATIN9: "ISO-8859-15", "LATIN-9": "ISO-8859-15", MAC: "MACINTOSH" },
}

const runtimeDecoder = (label: string) => (drops: boolean): StreamDecoder => {
  const decoder = new TextDecoder(label, { fatal: !drops })
  let position = 0
  return {
    hasDropped: false,
    decode: (bytes, isLast) => {
      try {
        const text = decoder.decode(bytes, { stream: !isLast })
        return drops ? text.replaceAll("\ufffd", "") : text
      } catch {
        throw new IllegalInput("", position)
      } finally {
        position += bytes.length
      }
    },
  }
}

/** The bytes of the characters of an encoding of single bytes. */
const reverseTable = (label: string) => (): ReadonlyMap<string, number> => {
  const table = new Map<string, number>()
  const decoder = new TextDecoder(label)
  for (let byte = 0; byte < 256; byte++) {
    const character = decoder.decode(Uint8Array.of(byte))
    if (character !== "\ufffd" && !table.has(character)) table.set(character, byte)
  }
  return table
}

/** Finds an encoding by one of its names; `undefined` if it is not known, here or by this runtime. */
export const findEncoding = (name: string): TextEncoding | undefined => {
  const upper = name.toUpperCase().replace(/^WINDOWS-/, "CP").replace(/^ISO_?8859-/, "ISO-8859-").replace(/^MS-/, "")
  const known = own.get(upper)
  if (known !== undefined) return known
  const found = older.find(([other]) => other === (aliases[upper] ?? upper))
  if (found === undefined) return undefined
  const [canonical, label, isSingleByte] = found
  try {
    new TextDecoder(label)
  } catch {
    return undefined
  }
  const encoding: TextEncoding = { name: canonical, decoder: runtimeDecoder(label) }
  return isSingleByte ? { ...encoding, encoder: tableEncoder(reverseTable(label)) } : encoding
}

export const encodingNames = (): ReadonlyArray<string> =>
  [...own.keys(), ...older.map(([name]) => name)].filter((name) => findEncoding(name) !== undefined).sort()
