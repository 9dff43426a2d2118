/**
 * Expands words to fields in the order of POSIX: braces, tildes, parameters, substitutions and arithmetic, word splitting,
 * pathnames, quote removal; synchronously without substitutions. Source: POSIX 2.6 "Word Expansions".
 */
import { expandBracesInSteps, hasPatternCharacters } from "../../../shell-language/ShellLanguage.ts"
import type { ArithmeticText, HereDocument, Tilde, Word, WordPart } from "../../../shell-language/SyntaxTree.ts"
import { type Coroutine, runCoroutine, yieldNow } from "../../Coroutine.ts"
import type { Later } from "../../System.ts"
import type { Shell } from "../Shell.ts"
import { ShellError } from "../ShellError.ts"
import { evaluateExpression } from "./evaluateExpression.ts"
import { expandPathname } from "./expandPathname.ts"
import { expandParameter } from "./expandParameter.ts"
import type { Expander } from "./ParameterReference.ts"
import { escapePattern } from "./parsePattern.ts"
import {
  type Escape,
  escapeRegex,
  escapeReplacement,
  FieldSplitter,
  TextBuilder,
  type WordBuilder,
} from "./WordBuilder.ts"

const thenLater = <A, B>(value: Later<A>, next: (value: A) => Later<B>): Later<B> =>
  value instanceof Promise ? value.then(next) : next(value)

const ifsOf = (shell: Shell): string => shell.variables.get("IFS") ?? " \t\n"

const expandTilde = (shell: Shell, { user }: Tilde): string => {
  if (user === "") return shell.variables.get("HOME") ?? "~"
  if (user === "+") return shell.variables.get("PWD") ?? "~+"
  if (user === "-") return shell.variables.get("OLDPWD") ?? "~-"
  // Only the user whose home directory is in the environment is known.
  return user === (shell.variables.get("USER") ?? "") ? shell.variables.get("HOME") ?? `~${user}` : `~${user}`
}

/** Expands parts of a word into a builder. With `split`, plain text is split too, as in `${x:-a b}`. */
const expandParts = (
  shell: Shell,
  parts: ReadonlyArray<WordPart>,
  quoted: boolean,
  builder: WordBuilder,
  split = false,
  from = 0,
): Later<void> => {
  for (let at = from; at < parts.length; at++) {
    const part = parts[at]
    const later = part === undefined ? undefined : expandPart(shell, part, quoted, builder, split)
    if (later instanceof Promise) return later.then(() => expandParts(shell, parts, quoted, builder, split, at + 1))
  }
}

const expandPart = (
  shell: Shell,
  part: WordPart,
  quoted: boolean,
  builder: WordBuilder,
  split: boolean,
): Later<void> => {
  const emit = (text: string): Later<void> => quoted ? builder.add(text, true) : builder.split(text)
  switch (part._tag) {
    case "Literal":
      return split && !quoted ? builder.split(part.value) : builder.add(part.value, quoted)
    case "Escaped":
    case "SingleQuoted":
      return builder.add(part.value, true)
    case "DoubleQuoted":
      if (part.parts.length === 0) return builder.add("", true)
      return expandParts(shell, part.parts, true, builder)
    case "Tilde":
      return builder.add(expandTilde(shell, part), true)
    case "Parameter":
      return expandParameter(shell, part, quoted, builder, expanderOf(shell))
    case "CommandSubstitution":
      return thenLater(shell.interpreter.substitute(shell, part), emit)
    case "ArithmeticExpansion":
      return thenLater(expandArithmetic(shell, part.text), (value) => emit(String(value)))
    case "ProcessSubstitution":
      return builder.add(shell.interpreter.connect(shell, part), true)
  }
}

const expanders = new WeakMap<Shell, Expander>()

export const expanderOf = (shell: Shell): Expander => {
  const known = expanders.get(shell)
  if (known !== undefined) return known
  const made: Expander = {
    parts: (parts, quoted, builder, split) => expandParts(shell, parts, quoted, builder, split),
    text: (word) => expandText(shell, word),
    pattern: (word) => expandPattern(shell, word),
    replacement: (word) => expandEscaped(shell, word, escapeReplacement),
    arithmetic: (text) => expandArithmetic(shell, text),
  }
  expanders.set(shell, made)
  return made
}

const textBuilder = (shell: Shell, escape?: Escape): TextBuilder =>
  new TextBuilder(ifsOf(shell), shell.limits.maxValueLength, escape)

const expandEscaped = (shell: Shell, word: Word, escape?: Escape): Later<string> => {
  const builder = textBuilder(shell, escape)
  return thenLater(expandParts(shell, word.parts, false, builder), () => builder.text)
}

/** Expands a word to one text without word splitting and pathname expansion. */
export const expandText = (shell: Shell, word: Word): Later<string> => {
  const only = word.parts[0]
  if (only === undefined) return ""
  if (word.parts.length === 1 && only._tag === "Literal") return only.value
  return expandEscaped(shell, word)
}

export const expandPattern = (shell: Shell, word: Word): Later<string> => expandEscaped(shell, word, escapePattern)

/** Expands a word to a pattern with a backslash before each quoted character. */
export const expandEscapedText = (shell: Shell, word: Word): Later<string> =>
  expandEscaped(shell, word, (text) => text.replace(/[^]/gu, "\\$&"))

/** Expands a word to a regular expression, in which quoted text is escaped. */
export const expandRegex = (shell: Shell, word: Word): Later<string> => expandEscaped(shell, word, escapeRegex)

export const expandDocument = (shell: Shell, { body, closed, quoted }: HereDocument): Later<string> => {
  const builder = textBuilder(shell)
  return thenLater(
    expandParts(shell, body.parts, !quoted, builder),
    () => closed || /(^|\n)$/.test(builder.text) ? builder.text : `${builder.text}\n`,
  )
}

export const expandArithmetic = (shell: Shell, text: ArithmeticText): Later<bigint> => {
  if (text.expression !== undefined && text.parts.every((part) => part._tag === "Literal")) {
    const { end, start } = text.span
    return evaluateExpression(shell, shell.source.text.slice(start, end), text.expression, start)
  }
  const builder = new TextBuilder(" ", shell.limits.maxValueLength)
  return thenLater(expandParts(shell, text.parts, true, builder), () => evaluateExpression(shell, builder.text))
}

function* bracesOf(shell: Shell, words: ReadonlyArray<Word>): Coroutine<ReadonlyArray<Word>> {
  if (!shell.hasOption("braceexpand")) return words
  const all: Array<Word> = []
  for (const word of words) {
    const made = yield* expandBracesInSteps(word, shell.limits.maxWords)
    if (made === undefined) throw new ShellError(`brace expansion: more than ${shell.limits.maxWords} words`, "line")
    for (const each of made) all.push(each)
  }
  return all
}

const expandWord = (shell: Shell, word: Word, into: Array<string>): Later<void> => {
  const only = word.parts[0]
  if (word.parts.length === 1 && only !== undefined) {
    if (only._tag === "Literal" && !hasPatternCharacters(only.value)) return void into.push(only.value)
    if (only._tag === "SingleQuoted") return void into.push(only.value)
  }
  const builder = new FieldSplitter(ifsOf(shell), shell.limits.maxWords, shell.system)
  return thenLater(expandParts(shell, word.parts, false, builder), () => {
    builder.end()
    return runCoroutine(shell.system, fieldsOf(shell, builder, into))
  })
}

function* fieldsOf(shell: Shell, { fields }: FieldSplitter, into: Array<string>): Coroutine<void> {
  for (const { pattern, text } of fields) {
    if (pattern === undefined || shell.hasOption("noglob")) into.push(text)
    else yield* globField(shell, pattern, text, into)
    if (into.length > shell.limits.maxWords) throw new ShellError(`more than ${shell.limits.maxWords} words`, "line")
  }
}

/** Expands a pattern to pathnames by the options of the shell: `dotglob`, `nocaseglob`, `extglob`, `globstar`. */
export const expandGlob = (shell: Shell, pattern: string): Coroutine<ReadonlyArray<string>> =>
  expandPathname(shell.system, pattern, {
    dots: shell.hasOption("dotglob"),
    ignoreCase: shell.hasOption("nocaseglob"),
    extended: shell.hasOption("extglob"),
    globstar: shell.hasOption("globstar"),
  })

function* globField(shell: Shell, pattern: string, text: string, into: Array<string>): Coroutine<void> {
  const names = yield* expandGlob(shell, pattern)
  if (names.length > 0) { for (const name of names) into.push(name) }
  else if (shell.hasOption("failglob")) throw new ShellError(`no match: ${text}`, "line")
  else if (!shell.hasOption("nullglob")) into.push(text)
}

export const expandWords = (shell: Shell, words: ReadonlyArray<Word>): Later<ReadonlyArray<string>> =>
  words.some((word) => word.braces)
    ? thenLater(runCoroutine(shell.system, bracesOf(shell, words)), (all) => fieldsOfAll(shell, all))
    : fieldsOfAll(shell, words)

/** Number of words that are expanded between two yields. */
const wordsPerPause = 512

const fieldsOfAll = (shell: Shell, all: ReadonlyArray<Word>): Later<ReadonlyArray<string>> => {
  const into: Array<string> = []
  const go = (from: number): Later<ReadonlyArray<string>> => {
    for (let at = from; at < all.length; at++) {
      const word = all[at]
      const later = word === undefined ? undefined : expandWord(shell, word, into)
      if (later instanceof Promise) return later.then(() => go(at + 1))
      const turn = at % wordsPerPause === wordsPerPause - 1 ? yieldNow(shell.system) : undefined
      if (turn instanceof Promise) return turn.then(() => go(at + 1))
    }
    let length = 0
    for (const word of into) length += word.length
    if (length > shell.limits.maxValueLength) throw new ShellError("the arguments are too long together", "line")
    return into
  }
  return go(0)
}
