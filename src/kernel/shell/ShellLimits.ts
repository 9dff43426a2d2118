/**
 * How much a script may ask of its shell.
 *
 * @module
 */

/** Limits of one shell and of its subshells. */
export interface ShellLimits {
  /** Functions, sourced files and `eval` within each other. Default: 1,000. */
  readonly maxDepth: number
  /** Bytes that one `$(…)` may bring. Default: 16 MiB. */
  readonly maxSubstitutionBytes: number
  /** Words that one command may expand to. Default: 1,000,000. */
  readonly maxWords: number
  /** Characters that one value may have, and all arguments of a command. Default: 64 Mi. */
  readonly maxValueLength: number
  /** Characters that all values may have together; each name and each element counts for 64 more. Default: 128 Mi. */
  readonly maxVariablesLength: number
}

/** The limits of a shell that is given none. */
export const defaultLimits: ShellLimits = {
  maxDepth: 1_000,
  maxSubstitutionBytes: 16 * 1024 * 1024,
  maxWords: 1_000_000,
  maxValueLength: 64 * 1024 * 1024,
  maxVariablesLength: 128 * 1024 * 1024,
}
