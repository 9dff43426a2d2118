/** Decodes `%20` and the like in a part of a URL; what is no UTF-8 stays as it is. */
export const decodePart = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
