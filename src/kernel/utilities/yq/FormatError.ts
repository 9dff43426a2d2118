/** Defines the error of a text that is invalid in its format, or of a value that a format cannot hold. */
export class FormatError extends Error {}
