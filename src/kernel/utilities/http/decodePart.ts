/** Decodes `%20` and the like in a part of a URL; escapes that are not UTF-8 stay unchanged. */
export const decodePart = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
