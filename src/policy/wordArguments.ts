/**
 * Expands the words of a script to arguments, as far as they are known before it runs.
 *
 * @module
 */
import {
  expandBraces,
  type Script,
  staticText,
  walk,
  type Word,
  type WordPart,
} from "../shell-language/ShellLanguage.ts"
import { anyArguments, type Argument } from "./Argument.ts"

/** Whether it may be none, or several, arguments although it stands within double quotes: `$@`, `${a[@]}`, `${!a@}`. */
const isList = (part: WordPart): boolean => {
  let found = false
  walk(part, (node) => {
    if (node._tag === "Parameter" && node.name === "@") found = true
    if (node._tag === "AllElements" || node._tag === "ParameterNames" || node._tag === "ParameterKeys") found = true
  })
  return found
}

/** Text without quotes up to what may match file names. */
const plainHead = (text: string): string => /^[^*?[+@!]*/.exec(text)?.[0] ?? ""

/** Programs whose output is known. Functions may not have their names. */
export const knownPrograms: ReadonlySet<string> = new Set(["git"])

/**
 * Whether a substitution gives one word that begins with a letter or a digit: `$(git rev-parse --short HEAD)`, which
 * writes an object's name, or the revision that it did not find.
 */
const isRevision = ({ statements }: Script): boolean => {
  const [statement, ...more] = statements
  const [pipeline, ...others] = statement?.pipelines ?? []
  const [command, ...piped] = pipeline?.commands ?? []
  if (command?._tag !== "SimpleCommand" || more.length + others.length + piped.length > 0) return false
  const texts = command.words.map(staticText)
  return command.assignments.length === 0 &&
    /^git rev-parse(?: --(?:short(?:=\d+)?|verify|quiet))* [A-Za-z][\w./-]*(?:[~^]\d*)*$/.test(texts.join(" ")) &&
    texts.every((text) => text !== undefined && !text.includes(" "))
}

/** A word that is nothing but the name of a revision. */
const revisionOf = ({ parts }: Word): Argument | undefined => {
  const [part, ...others] = parts
  const inner = part?._tag === "DoubleQuoted" && part.parts.length === 1 ? part.parts[0] : part
  if (others.length > 0 || inner?._tag !== "CommandSubstitution" || !isRevision(inner.script)) return undefined
  return { head: "", many: part?._tag !== "DoubleQuoted", plain: true }
}

const argumentOf = (word: Word): Argument => {
  const text = staticText({ ...word, assignment: undefined })
  if (text !== undefined) return { text }
  const revision = revisionOf(word)
  if (revision !== undefined) return revision
  let head = ""
  let isHead = true
  let many = false
  const literal = (value: string): void => {
    if (isHead) head += value
  }
  for (const part of word.parts) {
    switch (part._tag) {
      case "Literal":
        literal(plainHead(part.value))
        if (plainHead(part.value) !== part.value) {
          isHead = false
          many = true
        }
        break
      case "Escaped":
      case "SingleQuoted":
        literal(part.value)
        break
      case "DoubleQuoted":
        if (isList(part)) return anyArguments
        for (const inner of part.parts) {
          if (inner._tag === "Literal" || inner._tag === "Escaped") literal(inner.value)
          else isHead = false
        }
        break
      case "Tilde":
        if (part.user !== "") return anyArguments
        literal("/")
        isHead = false
        break
      case "ProcessSubstitution":
        literal("/dev/fd/")
        isHead = false
        break
      case "ArithmeticExpansion":
        isHead = false
        break
      default:
        // It is split into fields that may begin with anything.
        return anyArguments
    }
  }
  return { head, many }
}

/** Arguments that braces may make of one word; more of them are not told apart. */
const maxWords = 64

/** The arguments that a word becomes. */
export const argumentsOf = (word: Word): ReadonlyArray<Argument> => {
  const words = expandBraces(word, maxWords)
  return words === undefined ? [anyArguments] : words.map((each) => argumentOf({ ...each, braces: false }))
}

/** The text of a word that is one argument and known. */
export const textOf = (word: Word): string | undefined => {
  const [only, ...more] = argumentsOf(word)
  return more.length === 0 ? only?.text : undefined
}
