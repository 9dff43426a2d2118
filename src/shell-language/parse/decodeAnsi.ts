/**
 * Decodes the backslash escapes of `$'…'` to text.
 *
 * Source: bash(1) "QUOTING".
 *
 * @module
 */
import { encodeUtf8 } from "../../base/bytes.ts"
import { decodeLossless } from "../../base/surrogateEscape.ts"

/** The escapes of one letter that `$'…'`, `echo -e` and `printf` have in common. */
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

/**
 * Decodes escapes. Adjoining bytes (`\x80`, `\377`) are decoded as UTF-8; a byte that is not valid UTF-8 becomes a lone
 * surrogate, U+DC80 to U+DCFF. The value ends at `\0`, since no argument can hold one.
 */
export const decodeAnsi = (text: string): string => {
  if (!text.includes("\\")) return text
  let value = ""
  let bytes: Array<number> = []
  escape.lastIndex = 0
  for (let found = escape.exec(text); found !== null; found = escape.exec(text)) {
    const [all, hex, braced, octal, short, long, control, other, literal] = found
    // Bash accepts any number of digits in `\x{…}` and uses the last eight bits.
    const number = hex ?? braced?.slice(-2).padStart(1, "0") ?? octal
    const byte = number === undefined ? 0 : parseInt(number, octal === undefined ? 16 : 8) & 255
    if (byte > 127) {
      bytes.push(byte)
      continue
    }
    value += decodeLossless(Uint8Array.from(bytes))
    bytes = []
    const point = parseInt(short ?? long ?? "", 16)
    if (number !== undefined) value += String.fromCharCode(byte)
    else if (point >= 0) value += point > 0x10ffff ? "\ufffd" : String.fromCodePoint(point)
    else if (control === "?") value += "\x7f"
    else if (control !== undefined) value += String.fromCharCode((encodeUtf8(control)[0] ?? 0) & 31)
    else if (other === undefined) value += literal ?? all
    else value += letterEscapes[other] ?? (/[\\'"?]/.test(other) ? other : all)
  }
  value += decodeLossless(Uint8Array.from(bytes))
  const end = value.indexOf("\0")
  return end < 0 ? value : value.slice(0, end)
}
