/**
 * The escapes of `$'…'`.
 *
 * Source: bash(1) "QUOTING".
 *
 * @module
 */

/** Escapes of one letter that all who read escapes know. */
export const letterEscapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
}
const escape =
  /\\(?:x([0-9a-fA-F]{1,2})|x\{([0-9a-fA-F]*)\}?|([0-7]{1,3})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|c([^])|([^]))|([^\\]+)|\\/y

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/**
 * Decodes them. Bytes (`\x80`, `\377`) are UTF-8 together with those next to them; one that is none becomes a lone
 * surrogate, U+DC80 to U+DCFF, which stands for that byte. The value ends at `\0`, as nothing that a shell passes on can
 * hold one.
 */
export const decodeAnsi = (text: string): string => {
  if (!text.includes("\\")) return text
  let value = ""
  let bytes: Array<number> = []
  escape.lastIndex = 0
  for (let found = escape.exec(text); found !== null; found = escape.exec(text)) {
    const [all, hex, braced, octal, short, long, control, other, literal] = found
    // Of `\x{…}` bash takes any number of digits, and the last eight bits.
    const number = hex ?? braced?.slice(-2).padStart(1, "0") ?? octal
    const byte = number === undefined ? 0 : parseInt(number, octal === undefined ? 16 : 8) & 255
    if (byte > 127) {
      bytes.push(byte)
      continue
    }
    value += bytesToText(bytes)
    bytes = []
    const point = parseInt(short ?? long ?? "", 16)
    if (number !== undefined) value += String.fromCharCode(byte)
    else if (point >= 0) value += point > 0x10ffff ? "\ufffd" : String.fromCodePoint(point)
    else if (control === "?") value += "\x7f"
    else if (control !== undefined) value += String.fromCharCode((encoder.encode(control)[0] ?? 0) & 31)
    else if (other === undefined) value += literal ?? all
    else value += letterEscapes[other] ?? (/[\\'"?]/.test(other) ? other : all)
  }
  value += bytesToText(bytes)
  const end = value.indexOf("\0")
  return end < 0 ? value : value.slice(0, end)
}

const bytesToText = (bytes: ReadonlyArray<number>): string => {
  let text = ""
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at] ?? 0
    const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
    const character = characterOf(Uint8Array.from(bytes.slice(at, at + length)))
    text += character ?? String.fromCharCode(0xdc00 + first)
    at += character === undefined ? 1 : length
  }
  return text
}

const characterOf = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
