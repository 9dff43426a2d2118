/** Quotes a text as one word that every POSIX shell reads as exactly this text. */
/**
 * Returns a word that every POSIX shell reads as exactly this text: unchanged if nothing in it is special, otherwise within
 * single quotes. A text with a NUL has no such word, since no argument can hold one.
 */
export const quoteWord = (text: string): string =>
  /^[A-Za-z0-9_%+,./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
