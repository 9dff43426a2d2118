/**
 * Defines the error of an invalid regular expression, or of one that takes too many steps, with the message of grep.
 */
export class RegexError extends Error {}
