/** The error of an invalid regular expression, or of one that takes too many steps; its message is grep's. */
/** Thrown by the parser and by searches; its message is grep's. */
export class RegexError extends Error {}
