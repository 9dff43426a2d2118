/**
 * The options of a shell: those of `set`, and those of `shopt`.
 *
 * Source: POSIX `set`; bash(1) "SHELL BUILTIN COMMANDS".
 *
 * @module
 */

/** Options of `set` that have a letter. */
export const optionLetters: Readonly<Record<string, string>> = {
  a: "allexport",
  b: "notify",
  C: "noclobber",
  e: "errexit",
  E: "errtrace",
  f: "noglob",
  h: "hashall",
  m: "monitor",
  n: "noexec",
  B: "braceexpand",
  T: "functrace",
  u: "nounset",
  v: "verbose",
  x: "xtrace",
}

/** All options of `set -o`, in order. */
export const optionNames: ReadonlyArray<string> = [...Object.values(optionLetters), "ignoreeof", "pipefail", "posix"]
  .sort()

/** All options of `shopt`, in order: those that change something here. */
export const shoptNames: ReadonlyArray<string> = [
  "dotglob",
  "expand_aliases",
  "extglob",
  "failglob",
  "globstar",
  "inherit_errexit",
  "lastpipe",
  "nocaseglob",
  "nocasematch",
  "nullglob",
  "sourcepath",
  "xpg_echo",
]

/** What is on when a shell starts. */
export const defaultOptions: ReadonlyArray<string> = ["braceexpand", "hashall", "sourcepath"]

/** What `$-` shows. */
export const optionString = (options: ReadonlySet<string>): string =>
  Object.entries(optionLetters).filter(([, name]) => options.has(name)).map(([letter]) => letter).sort().join("")
