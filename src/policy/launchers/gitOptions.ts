/**
 * Finds options of a git command that are not known to write no file of a caller's naming and to run no program.
 *
 * Source: gitcli(7) for short options in one word; git-merge(1) for strategies.
 */
import { optionsOf } from "./gitCommands.ts"
import { maxLetters } from "./gitFormatPatch.ts"

/** Values that have to be known, by option: a strategy is else the name of a program, and its options those of a script. */
const known = {
  strategy: /^(?:ours|ort)$/,
  "strategy-option":
    /^(?:ours|theirs|patience|minimal|histogram|(?:no-)?renormalize|no-renames|(?:find-renames|rename-threshold)(?:=\d+%?)?|diff-algorithm=\w+|ignore-(?:all-space|space-change|space-at-eol|cr-at-eol)|subtree(?:=[^\s]*)?)$/,
} as const

/** Letters of these options, in commands that have them. */
const letters: Readonly<Record<string, Readonly<Record<string, keyof typeof known>>>> = {
  "cherry-pick": { X: "strategy-option" },
  merge: { s: "strategy", X: "strategy-option" },
  pull: { s: "strategy", X: "strategy-option" },
  rebase: { s: "strategy", X: "strategy-option" },
  revert: { X: "strategy-option" },
}

/** Whether the letters of a word, and a value that has to be known, are known. `next` is the word behind. */
const areKnown = (command: string, all: string, word: string, next: string): boolean => {
  const [flags = "", valued = ""] = all.split(":")
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? ""
    if (at > maxLetters) return false
    if (valued.includes(letter)) {
      const option = Object.hasOwn(letters, command) ? letters[command]?.[letter] : undefined
      return option === undefined || known[option].test(word.slice(at + 1) || next)
    }
    // A number; of `apply` it is `--3way`.
    if (!flags.includes(letter) && (command === "apply" || !/\d/.test(letter))) return false
  }
  return true
}

/**
 * The first word of a known command that is an option and is not known. Also behind `--`, which another option may have taken as
 * its value; there it is none that a path may look like. A word of dashes and blanks, as a text may start with, is no option.
 */
export const unknownOption = (command: string, words: ReadonlyArray<string>): string | undefined => {
  const options = optionsOf(command)
  const end = words.indexOf("--")
  return words.find((word, at) => {
    // A text; of these commands no option does more than record it.
    if (/^(?:commit|tag)$/.test(command) && /^(?:-[a-zA-Z]*m|--message)$/.test(words[at - 1] ?? "")) return false
    if (!/^-[^\s]/.test(word) || word === "--" || /^--\s/.test(word)) return false
    if (end >= 0 && at > end) return true
    if (word === "-h") return false
    const next = words[at + 1] ?? ""
    if (!word.startsWith("--")) return !areKnown(command, options?.letters ?? "", word, next)
    const [name = "", value] = word.slice(2).split(/=(.*)/s)
    const isLong = options?.long.has(name) === true ||
      (name.startsWith("no-") && options?.long.has(name.slice(3)) === true)
    if (!isLong) return true
    return (name === "strategy" || name === "strategy-option") && !known[name].test(value ?? next)
  })
}
