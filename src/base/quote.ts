/** Shows text from outside in messages: short, on one line, and in quotes. */
import { escapeInvisible } from "./escapeInvisible.ts"

const maxLength = 200

/** Quotes a text as in JSON, without its end where it is long; characters that nobody sees are escaped, too. */
export const quote = (text: string): string =>
  escapeInvisible(JSON.stringify(text.length > maxLength ? `${text.slice(0, maxLength - 3)}...` : text))

/** A name or a path: quoted where it has more than letters, digits and the like. */
export const quoteIfNeeded = (text: string): string => {
  const quoted = quote(text)
  return /^"[\w%+,./:@~-]+"$/.test(quoted) ? quoted.slice(1, -1) : quoted
}
