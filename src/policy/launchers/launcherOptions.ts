/** Parses options by the rules of getopt(3), and builds launcher rules from tables of options. */
import { code, type LauncherRule, type LaunchOutcome, plain, refused, runsCommand } from "./LauncherRule.ts"

export interface LauncherOptions {
  /** Letters without a value. */
  readonly flags?: string
  /** Letters with a value. */
  readonly valued?: string
  /** Long options without a value, no dashes. */
  readonly long?: ReadonlyArray<string>
  /** Long options with a value. */
  readonly longValued?: ReadonlyArray<string>
  /** `-5` is an option. */
  readonly numeric?: boolean
  /** Operands before the command: `timeout 5 command`. */
  readonly operands?: number
}

/** The options that were read, each with its values, and the words after them. */
export interface ReadResult {
  readonly values: ReadonlyMap<string, ReadonlyArray<string>>
  readonly rest: ReadonlyArray<string>
}

/** Reads the options before the first operand; a text explains a failure. */
const readOptions = (words: ReadonlyArray<string>, options: LauncherOptions): ReadResult | string => {
  const { flags = "", long = [], longValued = [], numeric = false, valued = "" } = options
  const values = new Map<string, Array<string>>()
  const keep = (option: string, value: string): void => {
    values.set(option, [...values.get(option) ?? [], value])
  }
  let at = 0
  for (let text = words[at]; text !== undefined; text = words[++at]) {
    if (text === "--") {
      at++
      break
    }
    if (!/^-./.test(text)) break
    if (numeric && /^-\d+$/.test(text)) continue
    if (text.startsWith("--")) {
      const [name = "", given] = text.slice(2).split(/=(.*)/s)
      if (long.includes(name) && given === undefined) continue
      const found = longValued.includes(name) ? given ?? words[++at] : undefined
      if (found === undefined) return `with the option --${name}`
      keep(name, found)
      continue
    }
    for (let i = 1; i < text.length; i++) {
      const letter = text[i] ?? ""
      if (flags.includes(letter)) continue
      const attached = text.slice(i + 1)
      const found = valued.includes(letter) ? attached === "" ? words[++at] : attached : undefined
      if (found === undefined) return `with the option -${letter}`
      keep(letter, found)
      break
    }
  }
  return { values, rest: words.slice(at) }
}

/** A program whose options must be known; its commands are read from them and from the words after them. */
export const withOptions =
  (options: LauncherOptions, use: (read: ReadResult, words: ReadonlyArray<string>) => LaunchOutcome): LauncherRule =>
  (words) => {
    const read = readOptions(words, options)
    return typeof read === "string" ? refused(read) : use(read, words)
  }

/** A program that runs the command after its options: `nice -n 5 command`. */
export const prefixRunner = (options: LauncherOptions): LauncherRule =>
  withOptions(options, ({ rest }) => runsCommand(...rest.slice(options.operands ?? 0)))

/** Arguments by which a program would run others. */
export interface DangerousOptions {
  /** Letters; also within others (`-xzI`). */
  readonly letters?: string
  /** Long options, without dashes; also shortened, as getopt_long(3) takes them. */
  readonly long?: ReadonlyArray<string>
  /** Words of any other form. */
  readonly words?: RegExp
  /** Whether all words after `--` are harmless. Default: when there are no dangerous `words`. */
  readonly ends?: boolean
  /** Letters that take no value, so that `--` after them is not their value. */
  readonly flags?: string
  /** `--end-of-options` ends them too. */
  readonly endOfOptions?: boolean
  /** The first word's letters are options without a dash (`tar cIf`). */
  readonly oldStyle?: boolean
}

const isDanger = (
  text: string,
  isFirst: boolean,
  { letters = "", long = [], oldStyle, words }: DangerousOptions,
): boolean => {
  if (words?.test(text) === true) return true
  if (text.startsWith("--")) {
    const name = text.slice(2).replace(/=.*/s, "")
    return name !== "" && long.some((each) => each.startsWith(name))
  }
  const cluster = text.startsWith("-") ? text.slice(1) : isFirst && oldStyle === true ? text : ""
  return [...cluster].some((letter) => letters.includes(letter))
}

/** Whether `--` after a word ends the options, rather than being the word's value. */
const isEnd = (before: string | undefined, { flags = "" }: DangerousOptions): boolean =>
  before === undefined || !before.startsWith("-") || (before.length > 1 && isCluster(before.slice(1), flags))

/** A program that runs only itself, unless it gets certain options. */
export const plainUnless = (dangers: DangerousOptions): LauncherRule => (words) => {
  const ends = dangers.ends ?? dangers.words === undefined
  for (const [index, text] of words.entries()) {
    if (ends && text === "--" && isEnd(words[index - 1], dangers)) break
    if (dangers.endOfOptions === true && text === "--end-of-options") break
    if (isDanger(text, index === 0, dangers)) return refused(`with ${text.slice(0, 60)}`)
  }
  return plain
}

export interface FileCall {
  /** Letters that take no value and read no code. */
  readonly flags?: string
  /** Long options of the same kind, dashes included. */
  readonly long?: RegExp
  /** First words that are no files. */
  readonly commands?: RegExp
}

/** Names of the standard input or of open files. */
const noFile = /^-$|(?:^|\/)(?:dev|proc)\//

/**
 * An interpreter, which runs files. With an option that is not known to be harmless it may get code, and without a file
 * it reads code from stdin.
 */
export const fileInterpreter =
  ({ commands, flags = "", long }: FileCall): LauncherRule => (words, isOpenFile): LaunchOutcome => {
    const [only, ...more] = words
    if (more.length === 0 && /^(?:-[vVh]|--version|--help)$/.test(only ?? "")) return plain
    let isFile = false
    for (const text of words) {
      if (noFile.test(text)) return code
      if (isFile || !/^[-+]/.test(text)) {
        return commands?.test(text) === true || isOpenFile?.(text) === true ? code : plain
      }
      if (text === "--") isFile = true
      else if (long?.test(text) !== true && !(text.startsWith("-") && isCluster(text.slice(1), flags))) return code
    }
    return code
  }

const isCluster = (letters: string, flags: string): boolean =>
  letters !== "" && [...letters].every((letter) => flags.includes(letter))
