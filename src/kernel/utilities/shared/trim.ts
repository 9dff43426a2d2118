/**
 * Ends of texts, in time linear in the text: an expression such as `/0+$/` looks again and again at zeros that are followed
 * by something else.
 *
 * @module
 */

/** Where the characters at the end of a text begin. */
export const endOf = (text: string, characters: string): number => {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1] ?? "")) end--
  return end
}

/** A text without these characters at its end. */
export const withoutEnd = (text: string, characters: string): string => text.slice(0, endOf(text, characters))

/** A text without these characters at its start and its end. */
export const trimmed = (text: string, characters: string): string => {
  const end = endOf(text, characters)
  let start = 0
  while (start < end && characters.includes(text[start] ?? "")) start++
  return text.slice(start, end)
}
