/** Returns the message of a caught value: that of an `Error`, else the value as text. */
export const errorMessage = (error: unknown): string => error instanceof Error ? error.message : String(error)
