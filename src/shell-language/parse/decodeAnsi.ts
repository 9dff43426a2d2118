/** Decodes the backslash escapes of `$'…'` to text. Source: bash(1) "QUOTING". */
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
  /\\(?:x([0-9a-fA-F]{1,2})|x\{([0-9a-fA-F]*)\}?|([0-7]{1,3})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|c([^])|([^]))/y

/**
 * Decodes escapes. Adjoining bytes (`\x80`, `\377`) are decoded as UTF-8; a byte that is not valid UTF-8 becomes a lone
 * surrogate, U+DC80 to U+DCFF. The value ends at `\0`, since no argument can hold one.
 */
export const decodeAnsi = (text: string): string => {
  if (!text.includes("\\")) return text
  let value = ""
  let bytes: Array<number> = []
  let from = 0
  const add = (decoded: string): void => {
    if (bytes.length > 0) {
      value += decodeLossless(Uint8Array.from(bytes))
      bytes = []
    }
    value += decoded
  }
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", from)) {
    if (at > from) add(text.slice(from, at))
    from = at
    escape.lastIndex = at
    const found = escape.exec(text)
    if (found === null) break
    from = escape.lastIndex
    const [all, hex, braced, octal, short, long, control, other = ""] = found
    // Bash accepts any number of digits in `\x{…}` and uses the last eight bits.
    const number = hex ?? braced?.slice(-2).padStart(1, "0") ?? octal
    const byte = number === undefined ? 0 : parseInt(number, octal === undefined ? 16 : 8) & 255
    if (byte > 127) {
      bytes.push(byte)
      continue
    }
    const point = parseInt(short ?? long ?? "", 16)
    if (number !== undefined) add(String.fromCharCode(byte))
    else if (point >= 0) add(point > 0x10ffff ? "\ufffd" : String.fromCodePoint(point))
    else if (control === "?") add("\x7f")
    else if (control !== undefined) add(String.fromCharCode((encodeUtf8(control)[0] ?? 0) & 31))
    else add(letterEscapes[other] ?? (/[\\'"?]/.test(other) ? other : all))
  }
  add(text.slice(from))
  const end = value.indexOf("\0")
  return end < 0 ? value : value.slice(0, end)
}
