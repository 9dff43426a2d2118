/** Shows text from outside in messages: short, on one line, and in quotes. */
import { escapeInvisible } from "./escapeInvisible.ts"

const maxLength = 200

/** What stands between the quotes of a text that is not cut. */
export const escapeQuoted = (text: string): string => escapeInvisible(JSON.stringify(text).slice(1, -1))

/** Quotes a text as in JSON, without its end where it is long; characters that nobody sees are escaped, too. */
export const quote = (text: string): string =>
  `"${escapeQuoted(text.length > maxLength ? `${text.slice(0, maxLength - 3)}...` : text)}"`

/** Quotes a name or a path that has more than letters, digits and the like. */
export const quoteIfNeeded = (text: string): string =>
  text.length <= maxLength && /^[\w%+,./:@~-]+$/.test(text) ? text : quote(text)
