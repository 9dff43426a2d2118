/**
 * Lists the options of `set` and `shopt` and their defaults, and returns the value of `$-`.
 * Source: POSIX `set`; bash(1) "SHELL BUILTIN COMMANDS".
 */
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

export const optionNames: ReadonlyArray<string> = [
  ...Object.values(optionLetters),
  // Options of interactive shells, which have no effect.
  ...["emacs", "histexpand", "history", "ignoreeof", "interactive-comments", "nolog", "vi"],
  "pipefail",
  "posix",
].sort()

const interactiveShopts =
  "autocd cdspell checkhash checkjobs checkwinsize cmdhist complete_fullquote direxpand dirspell extquote force_fignore globasciiranges globskipdots histappend histreedit histverify hostcomplete huponexit interactive_comments lithist mailwarn no_empty_cmd_completion progcomp progcomp_alias promptvars"

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

export const defaultOptions: ReadonlyArray<string> = [
  ...["braceexpand", "hashall", "interactive-comments"],
  ...["checkwinsize", "cmdhist", "complete_fullquote", "extquote", "force_fignore", "globasciiranges", "globskipdots"],
  ...["hostcomplete", "interactive_comments", "patsub_replacement", "progcomp", "promptvars", "sourcepath"],
]

export const optionString = (options: ReadonlySet<string>): string =>
  Object.entries(optionLetters).filter(([, name]) => options.has(name)).map(([letter]) => letter).sort().join("")
