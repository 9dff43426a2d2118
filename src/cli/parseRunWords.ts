/** Parses plain `sluice run` command lines without effect/cli, and inserts `--` where effect/cli needs it. */
import type { CommandWords } from "./CommandSpec.ts"
import type { FlagSpec, FlagSpecs } from "./FlagSpec.ts"
import { runFlags } from "./runFlags.ts"

interface FlagWord {
  readonly name: string
  readonly spec: FlagSpec<unknown>
  /** The value in the same word, after `=`. */
  readonly attached: string | undefined
}

/** Finds the flag that a word names, by its long or short name; `undefined` if there is none. */
const findFlag = (word: string, flags: FlagSpecs): FlagWord | undefined => {
  const [, long, attached] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? []
  const name = long ?? Object.keys(flags).find((each) => word === `-${flags[each]?.alias}`)
  const spec = name !== undefined && Object.hasOwn(flags, name) ? flags[name] : undefined
  return name === undefined || spec === undefined ? undefined : { name, spec, attached }
}

/**
 * Parses the words after `sluice run`; `undefined` if they need effect/cli, which reports errors and prints help.
 * Loading effect/cli costs more than starting a command, so plain command lines do without it. The two parsers agree on
 * everything that this one accepts (a test checks this).
 */
export const parseRunWords = (words: ReadonlyArray<string>): CommandWords | undefined => {
  const start = commandStart(words, runFlags)
  if (start === undefined) return undefined
  const operands = words.slice(words[start] === "--" ? start + 1 : start)
  if (operands.length === 0) return undefined
  const flags = new Map<string, Array<string>>()
  for (let i = 0; i < start; i++) {
    const flag = findFlag(words[i] ?? "", runFlags)
    if (flag === undefined) return undefined
    const { attached, name, spec: { kind } } = flag
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
  return { name: "run", flags, operands }
}

/**
 * Finds the start of the command: `--`, or the first word that is neither a flag nor the value of one. `undefined` if a
 * flag before it is unknown, or there is no command.
 */
const commandStart = (words: ReadonlyArray<string>, flags: FlagSpecs): number | undefined => {
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ""
    if (word === "--" || !word.startsWith("-") || word === "-") return i
    const flag = findFlag(word, flags)
    if (flag === undefined) return undefined
    if (flag.spec.kind !== "switch" && flag.attached === undefined && words[i + 1] !== "--") i++
  }
  return undefined
}

/**
 * Inserts `--` before the command, so that effect/cli takes the flags after it as the command's own:
 * `run git log --stat` becomes `run -- git log --stat`.
 */
export const insertSeparator = (words: ReadonlyArray<string>, flags: FlagSpecs): ReadonlyArray<string> => {
  const start = commandStart(words, flags)
  return start === undefined || words[start] === "--" ? words : [...words.slice(0, start), "--", ...words.slice(start)]
}
