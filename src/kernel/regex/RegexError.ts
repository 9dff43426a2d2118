/**
 * Declares the error that is thrown for a regular expression that cannot be parsed, or whose match needs more steps
 * than are allowed.
 */
/** Thrown by the parser and by searches; its message is grep's. */
export class RegexError extends Error {}
