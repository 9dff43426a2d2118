/**
 * Finds the command that `command`, `builtin` or `exec` runs, and refuses what cannot be told or has options that are
 * not allowed.
 *
 * Source: bash(1) "SHELL BUILTIN COMMANDS".
 *
 * @module
 */
import type { Word } from "../../shell-language/ShellLanguage.ts"
import { quoteForMessage } from "../nameMatcher.ts"
import { textOf } from "../wordArguments.ts"
import { builtins } from "./builtins.ts"
import { refuse } from "./RefusedError.ts"

/** The text of a word that is there, and known. */
const knownText = (word: Word | undefined): string | undefined => word === undefined ? undefined : textOf(word)

const untold = (name: string): never => refuse(name, `what ${name} would run is only known when it runs`)

/**
 * The words of the command that one of them runs, the name first. None: it runs nothing, for it only says where a command
 * is, or has redirections alone.
 */
export const unwrapCommand = (name: string, words: ReadonlyArray<Word>): ReadonlyArray<Word> => {
  let at = 0
  for (;;) {
    const text = knownText(words[at])
    if (text === undefined || !text.startsWith("-")) break
    at++
    if (text === "--") break
    if (name === "command" && /^-[vV]+$/.test(text)) return []
    // `-p` looks elsewhere for programs, `-c` takes the environment away, and some programs do what the name says that
    // `-a` gives them: `git-rebase` runs what `git show` would not.
    if (name !== "exec" || text !== "-l") refuse(name, `${name} ${quoteForMessage(text)} is not allowed`)
  }
  const [first] = words.slice(at)
  if (first === undefined) return []
  const inner = textOf(first)
  if (name === "exec" ? inner === undefined : name === "builtin" && !builtins.has(inner ?? "")) untold(name)
  return words.slice(at)
}
