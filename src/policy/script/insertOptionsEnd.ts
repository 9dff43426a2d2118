/**
 * Inserts `--`, or `--end-of-options` for git, before arguments that are only known when a script runs, or joins them
 * to their option, so that none is read as an option.
 *
 * @module
 */
import type { SimpleCommand, Word } from "../../shell-language/ShellLanguage.ts"
import { isDecided } from "../Argument.ts"
import { argumentsOf, textOf } from "../wordArguments.ts"

/** Programs that take what is behind `--` for files or addresses, wherever it stands. */
const takesEnd = /^(?:sed|gsed|sort|curl|wget|rg)$/

const awks = /^(?:awk|gawk|mawk|nawk|original-awk)$/

const plain = (value: string, { span }: Word): Word => ({
  _tag: "Word",
  parts: [{ _tag: "Literal", value, span }],
  braces: false,
  span,
})

const isUnknown = (word: Word): boolean => argumentsOf(word).some((argument) => !isDecided(argument))

const inserted = (words: ReadonlyArray<Word>, at: number, text: string): ReadonlyArray<Word> => {
  const next = words[at] ?? words[at - 1]
  return next === undefined ? words : [...words.slice(0, at), plain(text, next), ...words.slice(at)]
}

/** Whether no word from a place on is an option, nor ends them. */
const hasNoOptions = (words: ReadonlyArray<Word>): boolean => words.every((word) => !/^-./.test(textOf(word) ?? ""))

/** Where the program of an awk stands. */
const programAt = (words: ReadonlyArray<Word>, from: number): number => {
  let at = from
  for (let text = known(words[at]); /^-/.test(text); text = known(words[at])) {
    if (text === "--") return -1
    at += /^-[Fv]$/.test(text) ? 2 : 1
  }
  return at < words.length ? at : -1
}

const known = (word: Word | undefined): string => word === undefined ? "" : textOf(word) ?? ""

/** Options of `git log` and its like without a value of their own, and those with one. */
const gitFlag =
  /^--(?:[a-z-]+=.*|oneline|stat|numstat|shortstat|name-only|name-status|graph|all|no-merges|merges|patch|no-patch|cached|staged|decorate|reverse|follow|first-parent|check|summary|word-diff|quiet|exit-code|no-color)$|^-(?:[pqswbzu]+|\d+)$/s
const gitValue = /^-[nSG]$/

/** `-m "$x"` as one word, and revisions that are not known behind the end of options. */
const gitWords = (words: ReadonlyArray<Word>, start: number): ReadonlyArray<Word> => {
  const at = start + (/^(?:--no-pager|-P)$/.test(known(words[start + 1])) ? 2 : 1)
  const command = known(words[at])
  const isOne = (value: Word | undefined): boolean => {
    const [only, ...more] = value === undefined ? [] : argumentsOf(value)
    return only !== undefined && more.length === 0 && only.text === undefined && !only.many
  }
  const valued = (option: string, { parts, ...rest }: Word): Word => ({
    ...rest,
    parts: [...plain(option, { parts, ...rest }).parts, ...parts],
  })
  if (/^(?:commit|merge|stash|tag)$/.test(command)) {
    return words.flatMap((word, index): ReadonlyArray<Word> => {
      const flags = /^-([avqsn]*)m$/.exec(index > at ? known(word) : "")?.[1]
      const before = /^-[avqsn]*m$/.test(index > at + 1 ? known(words[index - 1]) : "")
      if (flags !== undefined && isOne(words[index + 1])) return flags === "" ? [] : [plain(`-${flags}`, word)]
      return before && isOne(word) ? [valued("--message=", word)] : [word]
    })
  }
  if (!/^(?:diff|log|show)$/.test(command) || !words.slice(at).some(isUnknown)) return words
  const options: Array<Word> = []
  const others: Array<Word> = []
  const paths = words.findIndex((word, index) => index > at && known(word) === "--")
  const end = paths < 0 ? words.length : paths
  for (let index = at + 1; index < end; index++) {
    const word = words[index]
    if (word === undefined) break
    const text = known(word)
    if (!/^-./.test(text)) others.push(word)
    else if (gitFlag.test(text)) options.push(word)
    else if (gitValue.test(text)) {
      const value = words[++index]
      if (text === "-n" && value !== undefined && isOne(value)) options.push(valued("--max-count=", value))
      else options.push(word, ...words.slice(index, index + 1))
    } else return words
  }
  const first = others[0] ?? words[end]
  const before = [...words.slice(0, at + 1), ...options]
  return first === undefined || ![...others, ...words.slice(end)].some(isUnknown)
    ? [...before, ...others, ...words.slice(end)]
    : [...before, plain("--end-of-options", first), ...others, ...words.slice(end)]
}

/** The words of a command that begins at a place. */
const endedAt = (words: ReadonlyArray<Word>, start: number): ReadonlyArray<Word> => {
  const name = known(words[start])
  // What `xargs` reads comes behind its command.
  if (name === "xargs") {
    const command = words.findIndex((word, at) => at > start && takesEnd.test(known(word)))
    const isBare = command > 0 && words.slice(command).every((word) => /^(?!--$)/.test(textOf(word) ?? "--"))
    const isMarked = words.slice(0, command).some((word) => /^-[iI]/.test(known(word)))
    return isBare && !isMarked ? inserted(words, words.length, "--") : words
  }
  if (name === "git") return gitWords(words, start)
  const first = words.findIndex((word, at) => at > start && isUnknown(word))
  if (first < 0) return words
  if (awks.test(name)) {
    const program = programAt(words, start + 1)
    return program > 0 && program < first ? inserted(words, program, "--") : words
  }
  return takesEnd.test(name) && hasNoOptions(words.slice(first)) &&
      !words.slice(0, first).some((word) => known(word) === "--")
    ? inserted(words, first, "--")
    : words
}

/** A command with `--` where it keeps arguments that are not known from being taken for options. */
export const insertOptionsEnd = (command: SimpleCommand): SimpleCommand => {
  const words = endedAt(command.words, 0)
  return words === command.words ? command : { ...command, words }
}
