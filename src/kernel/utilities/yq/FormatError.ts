/** The error of a text that is not of its format, or of a value that a format cannot hold. */
export class FormatError extends Error {}
