/**
 * Strips characters from the ends of a text in linear time; a regular expression such as `/0+$/` takes quadratic time.
 */

/** The index at which the run of these characters at the end of a text starts. */
export const findTrailing = (text: string, characters: string): number => {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1] ?? "")) end--
  return end
}

export const stripEnd = (text: string, characters: string): string => text.slice(0, findTrailing(text, characters))

/** Removes these characters from both ends of a text. */
export const strip = (text: string, characters: string): string => {
  const end = findTrailing(text, characters)
  let start = 0
  while (start < end && characters.includes(text[start] ?? "")) start++
  return text.slice(start, end)
}
