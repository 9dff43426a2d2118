/** Declares the limits of a shell on nesting, words and values, and resolves them into settings with their defaults. */
import { refuseUnknownOptions, requireCounts } from "../../base/OptionError.ts"

/** Limits of one shell and of its subshells: whole numbers, or `Infinity`. */
export interface ShellLimits {
  /** Maximum nesting depth of functions, sourced files and `eval`. Default: 1,000. */
  readonly maxDepth?: number | undefined
  /** Maximum bytes of output of one `$(…)`. Default: 16 MiB. */
  readonly maxSubstitutionBytes?: number | undefined
  /** Maximum number of words that one command expands to. Default: 1,000,000. */
  readonly maxWords?: number | undefined
  /** Maximum characters of one value, and of all arguments of a command together. Default: 64 Mi. */
  readonly maxValueLength?: number | undefined
  /** Maximum characters of all values together; each name and element counts for 64 more. Default: 128 Mi. */
  readonly maxVariablesLength?: number | undefined
  /**
   * Maximum number of simple commands of a shell with its subshells; beyond it the script ends with 126. Default: no
   * limit.
   */
  readonly maxCommands?: number | undefined
  /** Maximum iterations of one loop; beyond it the script ends with 126. Default: no limit. */
  readonly maxIterations?: number | undefined
}

export type ShellLimitSettings = Readonly<Record<keyof ShellLimits, number>>

const defaults: ShellLimitSettings = {
  maxDepth: 1_000,
  maxSubstitutionBytes: 16 * 1024 * 1024,
  maxWords: 1_000_000,
  maxValueLength: 64 * 1024 * 1024,
  maxVariablesLength: 128 * 1024 * 1024,
  maxCommands: Infinity,
  maxIterations: Infinity,
}

/** Fills in the defaults. Throws an `OptionError` for an unknown or invalid limit. */
export const resolveShellLimits = (limits: ShellLimits = {}): ShellLimitSettings => {
  refuseUnknownOptions("ShellProgram: limits", limits, defaults)
  return requireCounts("ShellProgram", "limits.", limits, defaults)
}
