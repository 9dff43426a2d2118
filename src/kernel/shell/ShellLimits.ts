/**
 * Defines the limits of a shell on nesting, words and values.
 *
 * @module
 */

/**
 * Limits of one shell and of its subshells.
 *
 * @stability experimental
 */
export interface ShellLimits {
  /** Nesting depth of functions, sourced files and `eval`. Default: 1,000. */
  readonly maxDepth: number
  /** Bytes of output of one `$(…)`. Default: 16 MiB. */
  readonly maxSubstitutionBytes: number
  /** Words that one command expands to. Default: 1,000,000. */
  readonly maxWords: number
  /** Characters of one value, and of all arguments of a command together. Default: 64 Mi. */
  readonly maxValueLength: number
  /** Characters of all values together; each name and element counts for 64 more. Default: 128 Mi. */
  readonly maxVariablesLength: number
}

/** The default limits. */
export const defaultLimits: ShellLimits = {
  maxDepth: 1_000,
  maxSubstitutionBytes: 16 * 1024 * 1024,
  maxWords: 1_000_000,
  maxValueLength: 64 * 1024 * 1024,
  maxVariablesLength: 128 * 1024 * 1024,
}
