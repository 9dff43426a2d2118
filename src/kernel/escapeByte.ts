/** Escapes bytes as C does: `\n`, `\\`, `\001`. */

const letters: Readonly<Record<string, string>> = {
  "\x07": "a",
  "\b": "b",
  "\f": "f",
  "\n": "n",
  "\r": "r",
  "\t": "t",
  "\v": "v",
  "\\": "\\",
}

/** A byte by its letter, or by three octal digits. */
export const escapeByte = (byte: string): string =>
  `\\${letters[byte] ?? byte.charCodeAt(0).toString(8).padStart(3, "0")}`

/** As {@link escapeByte}, within double quotes. */
export const escapeQuotedByte = (byte: string): string => byte === '"' ? '\\"' : escapeByte(byte)
