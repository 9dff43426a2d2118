/**
 * Escapes control and bidirectional characters, so that recorded text cannot change the terminal.
 *
 * @module
 */

// Control characters, and characters that hide text or change its direction: each could falsify a line.
const invisible = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

const escapes: ReadonlyMap<string, string> = new Map([["\n", "\\n"], ["\r", "\\r"], ["\t", "\\t"]])

/** Formats a text as one line, with its control characters as escapes. */
export const escapeInvisible = (text: string): string =>
  text.replace(
    invisible,
    (character) => escapes.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
