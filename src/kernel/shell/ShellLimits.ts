/**
 * How much a script may ask of its shell.
 *
 * @module
 */

/** Limits of one shell and of its subshells. */
export interface ShellLimits {
  /** Functions, sourced files and `eval` within each other. Default: 1,000. */
  readonly depth: number
  /** Bytes that one `$(…)` may bring. Default: 16 MiB. */
  readonly substitutionBytes: number
  /** Words that one command may expand to. Default: 1,000,000. */
  readonly words: number
  /** Characters that one value may have, and all arguments of a command. Default: 64 Mi. */
  readonly valueLength: number
  /** Characters that all values may have together; each name and each element counts for 64 more. Default: 128 Mi. */
  readonly variables: number
}

/** The limits of a shell that is given none. */
export const defaultLimits: ShellLimits = {
  depth: 1_000,
  substitutionBytes: 16 * 1024 * 1024,
  words: 1_000_000,
  valueLength: 64 * 1024 * 1024,
  variables: 128 * 1024 * 1024,
}
