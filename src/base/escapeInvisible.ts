/** Escapes control characters and those that hide text or change its direction, so that no text can falsify a line. */
// Control and format characters, and letters without ink. A joiner between two emoji is kept, because it combines them.
const invisible =
  /[\p{Cc}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]|(?!\u200d)\p{Cf}|(?<![\p{Extended_Pictographic}\ufe0f])\u200d/gu

const escapes: ReadonlyMap<string, string> = new Map([["\n", "\\n"], ["\r", "\\r"], ["\t", "\\t"]])

const escapeOf = (character: string): string => {
  const code = (character.codePointAt(0) ?? 0).toString(16)
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`
}

/** Formats a text as one line, with its control characters as escapes. */
export const escapeInvisible = (text: string): string =>
  text.replace(invisible, (character) => escapes.get(character) ?? escapeOf(character))
