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
export const optionNames: ReadonlyArray<string> = [
  ...Object.values(optionLetters),
  // These concern interactive shells: they can be set, and change nothing.
  ...["emacs", "histexpand", "history", "ignoreeof", "interactive-comments", "nolog", "vi"],
  "pipefail",
  "posix",
].sort()

/** Options of `shopt` that concern interactive shells: they can be set, and change nothing. */
const interactiveShopts =
  "autocd cdspell checkhash checkjobs checkwinsize cmdhist complete_fullquote direxpand dirspell extquote force_fignore globasciiranges globskipdots histappend histreedit histverify hostcomplete huponexit interactive_comments lithist mailwarn no_empty_cmd_completion progcomp progcomp_alias promptvars"

/** All options of `shopt`, in order. */
export const shoptNames: ReadonlyArray<string> = [
  ...interactiveShopts.split(" "),
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
  "patsub_replacement",
  "sourcepath",
  "xpg_echo",
].sort()

/** What is on when a shell starts. */
export const defaultOptions: ReadonlyArray<string> = [
  ...["braceexpand", "hashall", "interactive-comments"],
  ...["checkwinsize", "cmdhist", "complete_fullquote", "extquote", "force_fignore", "globasciiranges", "globskipdots"],
  ...["hostcomplete", "interactive_comments", "patsub_replacement", "progcomp", "promptvars", "sourcepath"],
]

/** What `$-` shows. */
export const optionString = (options: ReadonlySet<string>): string =>
  Object.entries(optionLetters).filter(([, name]) => options.has(name)).map(([letter]) => letter).sort().join("")
