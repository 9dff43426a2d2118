/** Shows text from outside in messages: short, on one line, and in quotes. */
import { escapeInvisible } from "./escapeInvisible.ts"

const maxLength = 200

/** Escapes a text as `quote` does, without the quotes and without a limit. */
export const escapeQuoted = (text: string): string => escapeInvisible(JSON.stringify(text).slice(1, -1))

/** Quotes a text as JSON does, cut at 200 characters; invisible characters are escaped too. */
export const quote = (text: string): string =>
  `"${escapeQuoted(text.length > maxLength ? `${text.slice(0, maxLength - 3)}...` : text)}"`

/** Letters, digits and `%+,./:@~_-`; a path of Windows also has backslashes, which quotes would double. */
const plain = /^(?:[\w%+,./:@~-]+|[A-Za-z]:\\[\w%+,./@~\\-]*)$/

/** Quotes a name or a path unless it is plain. */
export const quoteIfNeeded = (text: string): string => text.length <= maxLength && plain.test(text) ? text : quote(text)
