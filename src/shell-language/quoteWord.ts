/** Quotes a text as a word of a POSIX shell. */
/**
 * Returns a word that every POSIX shell reads as exactly this text: unchanged if nothing in it is special, otherwise within
 * single quotes. A text with a NUL has no such word, since no argument can hold one.
 */
export const quoteWord = (text: string): string =>
  /^[A-Za-z0-9_%+,./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** {@link quoteWord} without a line break, for a shell that reads line by line; `newline` is a word for one, such as `"$nl"`. */
export const quoteOnOneLine = (text: string, newline: string): string =>
  quoteWord(text).replaceAll("\n", () => `'${newline}'`)
