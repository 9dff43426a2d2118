/** Quotes a text as a word of a POSIX shell. */

/**
 * Returns a word that POSIX shells read as exactly this text, which has no NUL; in single quotes if it has special
 * characters.
 */
export const quoteWord = (text: string): string =>
  /^[A-Za-z0-9_%+,./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/**
 * {@link quoteWord} without a line break, for a shell that reads line by line; `newline` is a word for one, such as `"$nl"`.
 */
export const quoteOnOneLine = (text: string, newline: string): string =>
  quoteWord(text).replaceAll("\n", () => `'${newline}'`)
