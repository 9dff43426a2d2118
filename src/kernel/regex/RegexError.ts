/** The error of an invalid regular expression, or of one that takes too many steps; its message is grep's. */
export class RegexError extends Error {}
