/**
 * Parses a shell pattern into a list of elements: characters, sets of characters, stars and groups.
 * Source: POSIX 2.13 "Pattern Matching Notation"; bash(1) "Pattern Matching".
 */
import { ShellError } from "../ShellError.ts"

export type PatternElement =
  | { readonly kind: "one"; readonly is: (character: string) => boolean; readonly literal?: string }
  | { readonly kind: "star" }
  | { readonly kind: "group"; readonly sign: string; readonly choices: ReadonlyArray<ReadonlyArray<PatternElement>> }

/** The element of `?`, and of each step of `*`. */
export const anyCharacter: Extract<PatternElement, { readonly kind: "one" }> = { kind: "one", is: () => true }

export interface PatternOptions {
  readonly ignoreCase?: boolean
  /** Whether `?(…)` and the other extended patterns are read. Default: `true`. */
  readonly extended?: boolean
}

const classes: Readonly<Record<string, RegExp>> = {
  alpha: /\p{L}/u,
  digit: /[0-9]/,
  alnum: /[\p{L}0-9]/u,
  upper: /\p{Lu}/u,
  lower: /\p{Ll}/u,
  space: /[ \t\n\v\f\r]/,
  blank: /[ \t]/,
  punct: /[!-/:-@[-`{-~]/,
  print: /[^\p{C}]/u,
  graph: /[^\p{C}\s]/u,
  cntrl: /\p{Cc}/u,
  xdigit: /[0-9a-fA-F]/,
  word: /[\p{L}0-9_]/u,
  ascii: /[\0-\x7f]/,
}

const code = (character: string): number => character.codePointAt(0) ?? 0

/** Maximum number of characters read, repeats included: the parser does not yield, and patterns may be hostile. */
const maxSteps = 2_000_000
const maxDepth = 100

interface PatternText {
  readonly pattern: string
  readonly options: PatternOptions
  /** Positions of the last `)` and the last `]`, after which no group or bracket expression can end. */
  readonly lastGroup: number
  readonly lastBracket: number
  /** Positions of groups that do not end; they are plain text and are not read again. */
  readonly plain: Set<number>
  steps: number
  depth: number
}

const tooLong = (): ShellError => new ShellError("the pattern takes too long to parse", "line")

const countSteps = (reading: PatternText, characters = 1): void => {
  reading.steps += characters
  if (reading.steps > maxSteps) throw tooLong()
}

/** Escapes a text for a pattern. Throws `ShellError` for a text that is longer than a pattern may be. */
export const escapePattern = (text: string): string => {
  if (text.length > maxSteps) throw tooLong()
  return text.replace(/[\\*?[\]()|+@!^-]/g, "\\$&")
}

/** Parses a bracket expression from `[` on; `undefined` if it does not end. */
const parseBracket = (
  reading: PatternText,
  start: number,
  ignoreCase: boolean,
): { is: (character: string) => boolean; end: number } | undefined => {
  const { pattern } = reading
  if (start > reading.lastBracket) return undefined
  let at = start + 1
  const negated = pattern[at] === "!" || pattern[at] === "^"
  if (negated) at++
  const tests: Array<(character: string) => boolean> = []
  const first = at
  const single = (): string => {
    if ((pattern.startsWith("[.", at) || pattern.startsWith("[=", at))) {
      const end = pattern.indexOf(`${pattern[at + 1]}]`, at + 2)
      countSteps(reading, (end < 0 ? pattern.length : end) - at)
      if (end > 0) {
        const inner = pattern.slice(at + 2, end)
        at = end + 2
        return inner
      }
    }
    if (pattern[at] === "\\" && at + 1 < pattern.length) at++
    const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0)
    at += character.length
    return character
  }
  while (at < pattern.length && (pattern[at] !== "]" || at === first)) {
    countSteps(reading)
    const named = /^\[:(\w+):\]/.exec(pattern.slice(at, at + 12))
    if (named !== null) {
      const set = classes[named[1] ?? ""]
      if (set !== undefined) tests.push((character) => set.test(character))
      at += named[0].length
      continue
    }
    const from = single()
    if (pattern[at] === "-" && at + 1 < pattern.length && pattern[at + 1] !== "]") {
      at++
      const to = single()
      tests.push((character) => code(character) >= code(from) && code(character) <= code(to))
    } else tests.push((character) => character === from)
  }
  if (at >= pattern.length) return undefined
  const among = (character: string): boolean => tests.some((test) => test(character))
  const is = ignoreCase
    ? (character: string) => among(character.toLowerCase()) || among(character.toUpperCase())
    : among
  return { is: negated ? (character) => !is(character) : is, end: at }
}

/** Parses a pattern. Throws `ShellError` if that takes too long. */
export const parsePattern = (pattern: string, options: PatternOptions): Array<PatternElement> => {
  // Each character and its backslash take a step.
  if (pattern.length > 2 * maxSteps) throw tooLong()
  return parseSequence(
    {
      pattern,
      options,
      lastGroup: pattern.lastIndexOf(")"),
      lastBracket: pattern.lastIndexOf("]"),
      plain: new Set(),
      steps: 0,
      depth: 0,
    },
    0,
    false,
  )[0]
}

/** Parses elements from `start` on, within a group up to the next `|` or `)`; also returns the end position. */
const parseSequence = (reading: PatternText, start: number, inGroup: boolean): [Array<PatternElement>, number] => {
  const { options, pattern } = reading
  const elements: Array<PatternElement> = []
  const ignoreCase = options.ignoreCase === true
  const literal = (character: string): PatternElement => {
    const lower = character.toLowerCase()
    return ignoreCase
      ? { kind: "one", is: (other) => other.toLowerCase() === lower }
      : { kind: "one", is: (other) => other === character, literal: character }
  }
  let at = start
  while (at < pattern.length) {
    countSteps(reading)
    const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0)
    if (inGroup && (character === "|" || character === ")")) return [elements, at]
    if (options.extended !== false && "?*+@!".includes(character) && pattern[at + 1] === "(") {
      const group = parseGroup(reading, at)
      if (group !== undefined) {
        elements.push(group[0])
        at = group[1]
        continue
      }
    }
    at += character.length
    if (character === "*") {
      if (elements.at(-1)?.kind !== "star") elements.push({ kind: "star" })
    } else if (character === "?") elements.push(anyCharacter)
    else if (character === "[") {
      const set = parseBracket(reading, at - 1, ignoreCase)
      if (set === undefined) elements.push(literal("["))
      else {
        elements.push({ kind: "one", is: set.is })
        at = set.end + 1
      }
    } else if (character === "\\" && at < pattern.length) {
      const escaped = String.fromCodePoint(pattern.codePointAt(at) ?? 0)
      elements.push(literal(escaped))
      at += escaped.length
    } else elements.push(literal(character))
  }
  return [elements, at]
}

const parseGroup = (reading: PatternText, start: number): [PatternElement, number] | undefined => {
  const { pattern, plain } = reading
  if (start > reading.lastGroup || plain.has(start) || reading.depth >= maxDepth) return undefined
  const choices: Array<ReadonlyArray<PatternElement>> = []
  let at = start + 2
  reading.depth++
  for (;;) {
    const [elements, end] = parseSequence(reading, at, true)
    choices.push(elements)
    at = end + 1
    if (end < pattern.length && pattern[end] === "|") continue
    reading.depth--
    if (end < pattern.length) return [{ kind: "group", sign: pattern[start] ?? "", choices }, at]
    plain.add(start)
    return undefined
  }
}
