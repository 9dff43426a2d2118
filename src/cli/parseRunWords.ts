/**
 * Parses plain `sluice run` command lines without effect/cli, and finds where the command begins.
 *
 * @module
 */
import { type FlagSpec, isRunFlag, type RawFlags, type RunFlag, runFlags, shortFlags } from "./flags.ts"

/** The words of a `sluice run` command line: its flags, and the command with its arguments, verbatim. */
export interface RunWords {
  readonly flags: RawFlags
  readonly command: ReadonlyArray<string>
}

/** Splits a flag from a value within the same word. */
const flagOf = (word: string): readonly [string, string | undefined] => {
  const short = Object.hasOwn(shortFlags, word) ? shortFlags[word] : undefined
  if (short !== undefined) return [short, undefined]
  const at = word.indexOf("=")
  return at < 0 ? [word.slice(2), undefined] : [word.slice(2, at), word.slice(at + 1)]
}

/**
 * Parses the words after `sluice run`; `undefined` if they need effect/cli, which reports errors and prints help. Loading
 * it costs more than starting a command, so plain command lines do without. Both parsers agree on everything that this
 * one accepts (a test checks it).
 */
export const parseRunWords = (words: ReadonlyArray<string>): RunWords | undefined => {
  const start = commandStart(words, runFlags)
  if (start === undefined) return undefined
  const command = words.slice(words[start] === "--" ? start + 1 : start)
  if (command.length === 0) return undefined
  const flags = new Map<RunFlag, Array<string>>()
  for (let i = 0; i < start; i++) {
    const [name, attached] = flagOf(words[i] ?? "")
    if (!isRunFlag(name)) return undefined
    const { kind } = runFlags[name]
    const given = flags.get(name) ?? []
    if ((kind === "switch" && attached !== undefined) || (kind !== "list" && given.length > 0)) return undefined
    const value = kind === "switch" ? "true" : attached ?? words[++i]
    // A value that looks like a flag is more likely a forgotten value.
    if (value === undefined || i >= start || (attached === undefined && value.length > 1 && value.startsWith("-"))) {
      return undefined
    }
    given.push(value)
    flags.set(name, given)
  }
  return { flags, command }
}

/**
 * Finds the start of the command: `--`, or the first word that is neither a flag nor the value of one. `undefined` if a
 * flag before it is unknown, or there is no command.
 */
const commandStart = (
  words: ReadonlyArray<string>,
  flags: Readonly<Record<string, FlagSpec>>,
): number | undefined => {
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ""
    if (word === "--" || !word.startsWith("-") || word === "-") return i
    const [name, attached] = flagOf(word)
    const flag = (word.startsWith("--") || name === "interactive") && Object.hasOwn(flags, name)
      ? flags[name]
      : undefined
    if (flag === undefined) return undefined
    if (flag.kind !== "switch" && attached === undefined && words[i + 1] !== "--") i++
  }
  return undefined
}

/**
 * Inserts `--` before the command, so that effect/cli takes the flags behind it as the command's own:
 * `run git log --stat` becomes `run -- git log --stat`.
 */
export const insertSeparator = (
  words: ReadonlyArray<string>,
  flags: Readonly<Record<string, FlagSpec>> = runFlags,
): ReadonlyArray<string> => {
  const start = commandStart(words, flags)
  return start === undefined || words[start] === "--" ? words : [...words.slice(0, start), "--", ...words.slice(start)]
}
