/**
 * Lists the builtins of bash by whether and how a script may use them, and checks that the arguments of `set` and
 * `shopt` are harmless.
 *
 * Source: bash(1) "SHELL BUILTIN COMMANDS", of bash 5.2.
 *
 * @module
 */

/**
 * - `language`: part of the language, needs no place in the list. They change what the shell itself knows and start
 *   nothing, once their arguments have been looked at.
 * - `listed`: does what a program of its own could; the list must name it.
 * - `launcher`: runs what its arguments say, which is looked at.
 * - `refused`: changes how the script is read or what its names mean, or runs what cannot be told.
 */
export type BuiltinKind = "language" | "listed" | "launcher" | "refused"

const kinds: Readonly<Record<BuiltinKind, string>> = {
  language: `: [ break continue declare exit export false getopts let local mapfile read readarray readonly return set
    shift shopt test times true typeset unset wait`,
  listed: "bg caller cd dirs disown echo fg help jobs kill popd printf pushd pwd type ulimit umask",
  launcher: "builtin command eval exec trap",
  refused: ". alias bind compgen complete compopt enable fc hash history logout source suspend unalias",
}

const byName: ReadonlyMap<string, BuiltinKind> = new Map(
  (["language", "listed", "launcher", "refused"] as const).flatMap((kind) =>
    kinds[kind].split(/\s+/).map((name) => [name, kind] as const)
  ),
)

/** The builtins by name. */
export const builtins: ReadonlyMap<string, BuiltinKind> = byName

/** Builtins that give values to the variables among their arguments. */
export const givesValues: ReadonlySet<string> = new Set(
  "declare export getopts local mapfile printf read readarray readonly typeset unset wait".split(" "),
)

/** Letters and names of `set` that change neither how the script is read nor what commands are given. */
const setLetters = /^[-+][euxfCvbET]+$/
const setNames = /^(?:errexit|nounset|pipefail|xtrace|noglob|verbose|noclobber|errtrace|functrace|notify)$/

/** Whether the arguments of `set` are harmless; `undefined` stands for what is not known. */
export const isPlainSet = (texts: ReadonlyArray<string | undefined>): boolean => {
  for (let at = 0; at < texts.length; at++) {
    const text = texts[at]
    if (text === undefined) return false
    if (text === "--" || text === "-" || !/^[-+]/.test(text)) return true
    const name = /^[-+][euxfCvbET]*o$/.test(text) ? texts[++at] : undefined
    if (name !== undefined ? !setNames.test(name) : !setLetters.test(text)) return false
  }
  return true
}

const shopts = /^(?:nullglob|globstar|dotglob|nocaseglob|nocasematch|failglob|inherit_errexit|globskipdots)$/

/** Whether the arguments of `shopt` are harmless. */
export const isPlainShopt = (texts: ReadonlyArray<string | undefined>): boolean =>
  texts.every((text) => text !== undefined && (/^-[suqp]+$/.test(text) || shopts.test(text)))
