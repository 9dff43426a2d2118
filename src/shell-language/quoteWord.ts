/**
 * Text as a word of the shell.
 *
 * @module
 */

/**
 * A word that every POSIX shell reads as exactly this text: unchanged when nothing in it is special, otherwise within
 * single quotes. A text with a NUL has no such word, as no argument can hold one.
 */
export const quoteWord = (text: string): string =>
  /^[A-Za-z0-9_%+,./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
