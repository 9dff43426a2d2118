/** Returns the message of a caught value: that of an `Error`, else the value as text. Never throws, whatever was thrown. */
export const errorMessage = (error: unknown): string => {
  try {
    return String(error instanceof Error ? error.message : error)
  } catch {
    return "the thrown value has no text"
  }
}
