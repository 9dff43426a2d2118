/**
 * Parses the options of a launcher by the rules of getopt(3), and builds launcher rules from tables of options: for
 * programs that run a command, that run nothing without certain options, and for interpreters.
 *
 * @module
 */
import { type Argument, isDecided } from "../Argument.ts"
import { code, type Launcher, type LaunchOutcome, plain, refused, runsCommand, unknownArguments } from "./Launcher.ts"

/** The options that a launcher is known with; any other is refused. */
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
  /** What stands before the command: `timeout 5 command`. */
  readonly operands?: number
}

/** The options that were read, each with its values, and the words behind them. */
export interface ReadResult {
  readonly values: ReadonlyMap<string, ReadonlyArray<Argument>>
  readonly rest: ReadonlyArray<Argument>
}

/** Reads the options before the first operand; a text says why they cannot be. */
export const readOptions = (words: ReadonlyArray<Argument>, options: LauncherOptions): ReadResult | string => {
  const { flags = "", long = [], longValued = [], numeric = false, valued = "" } = options
  const values = new Map<string, Array<Argument>>()
  const keep = (option: string, value: Argument): void => {
    values.set(option, [...values.get(option) ?? [], value])
  }
  let at = 0
  const value = (): Argument | undefined => {
    const next = words[++at]
    return next !== undefined && (next.text !== undefined || !next.many) ? next : undefined
  }
  for (let word = words[at]; word !== undefined; word = words[++at]) {
    const { text } = word
    if (text === undefined) {
      if (isDecided(word)) break
      return "with arguments that are only known when it runs"
    }
    if (text === "--") {
      at++
      break
    }
    if (!/^-./.test(text)) break
    if (numeric && /^-\d+$/.test(text)) continue
    if (text.startsWith("--")) {
      const [name = "", given] = text.slice(2).split(/=(.*)/s)
      if (long.includes(name) && given === undefined) continue
      const found = longValued.includes(name) ? given === undefined ? value() : { text: given } : undefined
      if (found === undefined) return `with the option --${name}`
      keep(name, found)
      continue
    }
    for (let i = 1; i < text.length; i++) {
      const letter = text[i] ?? ""
      if (flags.includes(letter)) continue
      const attached = text.slice(i + 1)
      const found = valued.includes(letter) ? attached === "" ? value() : { text: attached } : undefined
      if (found === undefined) return `with the option -${letter}`
      keep(letter, found)
      break
    }
  }
  return { values, rest: words.slice(at) }
}

/** A program that runs the command behind its options: `nice -n 5 command`. */
export const prefixRunner = (options: LauncherOptions): Launcher => (words) => {
  const read = readOptions(words, options)
  if (typeof read === "string") return refused(read)
  const { operands = 0 } = options
  const before = read.rest.slice(0, operands)
  return before.some(({ many, text }: { readonly many?: boolean; readonly text?: string | undefined }) =>
      text === undefined && many === true
    )
    ? unknownArguments
    : runsCommand(...read.rest.slice(operands))
}

/** What a program must not be given, for it would run what it says. */
export interface DangerousOptions {
  /** Letters; also within others (`-xzI`). */
  readonly letters?: string
  /** Long options, without dashes; also shortened, as getopt_long(3) takes them. */
  readonly long?: ReadonlyArray<string>
  /** Words of any other form. */
  readonly words?: RegExp
  /** Beginnings that none of `words` has. Default: a slash in it, for then it is a path, whatever comes. */
  readonly harmlessHead?: RegExp
  /** Whether all words behind `--` are harmless. Default: when there are no dangerous `words`. */
  readonly ends?: boolean
  /** Letters that take no value: `--` behind them is no value of theirs. */
  readonly flags?: string
  /** `--end-of-options` ends them too. */
  readonly endOfOptions?: boolean
  /** The first word's letters are options without a dash (`tar cIf`). */
  readonly oldStyle?: boolean
}

/** Whether a word is one of the dangers. */
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

/** Whether an end of options behind a word is one, and not that one's value. */
const isEnd = (before: Argument | undefined, { flags = "" }: DangerousOptions): boolean =>
  before === undefined || (before.text !== undefined &&
    (!before.text.startsWith("-") || (before.text.length > 1 && isCluster(before.text.slice(1), flags))))

/** Options that say nothing of what runs, whatever their value is. */
const harmlessValue = /^--(?:message|author|date|since|until|after|before|grep|max-count|exclude|include)=/

/** Whether what begins a word that is not known further makes it none of the words that are dangers. */
const isHarmless = (word: Argument, { harmlessHead }: DangerousOptions): boolean => {
  if (!("head" in word)) return false
  return harmlessHead === undefined ? word.head.includes("/") : word.plain === true || harmlessHead.test(word.head)
}

/** A program that runs nothing but itself without certain options. */
export const plainUnless = (dangers: DangerousOptions): Launcher => (words) => {
  const ends = dangers.ends ?? dangers.words === undefined
  for (const [index, word] of words.entries()) {
    const { text } = word
    if (ends && text === "--" && isEnd(words[index - 1], dangers)) break
    if (dangers.endOfOptions === true && text === "--end-of-options") break
    if (text === undefined) {
      if (!word.many && harmlessValue.test(word.head)) continue
      if (!isDecided(word) || (dangers.words !== undefined && !isHarmless(word, dangers))) return unknownArguments
    } else if (isDanger(text, index === 0, dangers)) return refused(`with ${text.slice(0, 60)}`)
  }
  return plain
}

/** How an interpreter is called with a file. */
export interface FileCall {
  /** Letters that take no value and read no code. */
  readonly flags?: string
  /** Long options of the same kind, dashes included. */
  readonly long?: RegExp
  /** First words that are no files. */
  readonly commands?: RegExp
}

/** Files that are the input, or what stands open. */
const noFile = /^-$|(?:^|\/)(?:dev|proc)\//

/**
 * An interpreter: it runs files. With an option that is not known to be harmless it may be given code, and so it is
 * without a file, for then it reads code from stdin.
 */
export const fileInterpreter = ({ commands, flags = "", long }: FileCall): Launcher => (words): LaunchOutcome => {
  const [only, ...more] = words
  if (more.length === 0 && /^(?:-[vVh]|--version|--help)$/.test(only?.text ?? "")) return plain
  let isFile = false
  for (const { text } of words) {
    if (text === undefined || noFile.test(text)) return code
    if (isFile || !/^[-+]/.test(text)) return commands?.test(text) === true ? code : plain
    if (text === "--") isFile = true
    else if (long?.test(text) !== true && !(text.startsWith("-") && isCluster(text.slice(1), flags))) return code
  }
  return code
}

const isCluster = (letters: string, flags: string): boolean =>
  letters !== "" && [...letters].every((letter) => flags.includes(letter))
