/** Reads the code of a thrown value, such as `"ENOENT"`. */

/** The `code` of a value that a runtime threw; `undefined` when it has none, or one that is not a text. */
export const readErrorCode = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined
