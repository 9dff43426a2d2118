/**
 * Replaces what patterns find in lines of text that comes in pieces, wherever the pieces are cut.
 *
 * @module
 */

import { MultiPatternMatcher } from "./MultiPatternMatcher.ts"
import { formatMarker } from "./secretForms.ts"

/** Something that is known by how it looks. */
export interface Pattern {
  /** What is replaced, within one line: `^` and `$` are its ends. Must be linear: it sees whatever a command prints. */
  readonly pattern: RegExp
  /** Shown in its place: `<redacted:label>`. */
  readonly label?: string | undefined
  /**
   * Texts of three characters or more, of which one is in whatever the pattern finds, or right before or behind it: text
   * without any is not looked at closer, which is many times faster. Default: none.
   */
  readonly contains?: ReadonlyArray<string> | undefined
}

/** The longest line that is looked at as a whole. */
export const maxLineLength = 65_536

/** Of a longer line so much is kept, so that what a pattern finds there is whole if it is no longer than this. */
const overlap = 8_192

/** A pattern, ready to be used. */
interface Rule {
  readonly pattern: RegExp
  readonly marker: string
  readonly contains: ReadonlyArray<string>
  /** Whether it may see what is beside it: then it must see one line at a time. */
  readonly looksAround: boolean
}

/** Makes a pattern ready; the regular expression that was given stays as it is. */
const ruleOf = ({ contains = [], label, pattern }: Pattern): Rule => ({
  pattern: new RegExp(pattern.source, [...new Set([...pattern.flags, "g", "m"])].join("")),
  marker: formatMarker(label),
  // What is in nearly every text is no help.
  contains: contains.some((part) => part.length < 3) ? [] : contains,
  looksAround: pattern.sticky || /\(\?<?[=!]/.test(pattern.source),
})

/** Which rules may find something in a text, by what it contains: all of that is looked for at once. */
class Hints {
  readonly #rules: ReadonlyArray<Rule>
  readonly #count: number
  readonly #needles: MultiPatternMatcher | undefined

  constructor(rules: ReadonlyArray<Rule>) {
    this.#rules = rules
    const parts = new Set(rules.flatMap(({ contains }) => contains))
    this.#count = parts.size
    this.#needles = parts.size === 0
      ? undefined
      : new MultiPatternMatcher([...parts].map((text) => ({ text, marker: text })))
  }

  candidates(text: string): ReadonlyArray<Rule> {
    const parts = new Set<string>()
    let found = this.#needles?.find(text, 0)
    while (found !== undefined && parts.size < this.#count) {
      parts.add(found.marker)
      found = this.#needles?.find(text, found.start + 1)
    }
    // One that is the beginning of another is found with it.
    const isIn = (part: string): boolean => parts.has(part) || [...parts].some((other) => other.startsWith(part))
    return this.#rules.filter(({ contains }) => contains.length === 0 || contains.some(isIn))
  }
}

const cleanLines = (text: string, rule: Rule): string =>
  text.split(/(?<=\n)/).map((line) => mayFind(rule, line) ? cleanLine(line, rule) : line).join("")

const mayFind = ({ contains }: Rule, line: string): boolean =>
  contains.length === 0 || contains.some((part) => line.includes(part))

const cleanLine = (line: string, { marker, pattern }: Rule): string =>
  line.replace(pattern, (match) => match === "" ? "" : marker)

/** Several whole lines at once, if that comes to the same. */
const cleanText = (text: string, rule: Rule): string => {
  if (rule.looksAround) return cleanLines(text, rule)
  let spans = false
  const cleaned = text.replace(rule.pattern, (match) => {
    spans ||= match.includes("\n")
    return match === "" ? "" : rule.marker
  })
  return spans ? cleanLines(text, rule) : cleaned
}

/** Makes ready what looks for patterns, to be used for any number of texts. */
export const compilePatterns = (patterns: ReadonlyArray<Pattern>): Hints => new Hints(patterns.map(ruleOf))

/** Text on its way through rules, line by line: the beginning of a line is held back until its end is there. */
export class PatternRedaction {
  readonly #hints: Hints
  #held = ""

  constructor(hints: Hints) {
    this.#hints = hints
  }

  push(text: string): string {
    const buffer = this.#held + text
    if (buffer.length < maxLineLength && !text.includes("\n")) {
      this.#held = buffer
      return ""
    }
    let out = ""
    let done = 0
    let line = 0
    for (;;) {
      const newline = buffer.indexOf("\n", line)
      const end = newline < 0 ? buffer.length : newline + 1
      if (end - line >= maxLineLength) {
        const cut = line + this.#cut(buffer.slice(line, line + maxLineLength))
        out += this.#clean(buffer.slice(done, line)) + this.#clean(buffer.slice(line, cut))
        done = line = cut
      } else if (newline < 0) break
      else line = end
    }
    this.#held = buffer.slice(line)
    return out + this.#clean(buffer.slice(done, line))
  }

  end(): string {
    const rest = this.#held
    this.#held = ""
    return this.#clean(rest)
  }

  #clean(text: string): string {
    return text === "" ? text : this.#hints.candidates(text).reduce(cleanText, text)
  }

  /** Where to cut a line that is too long: not within something that a pattern finds. */
  #cut(line: string): number {
    let cut = maxLineLength - overlap
    const rules = this.#hints.candidates(line)
    for (let before = 0; before < cut;) {
      before = cut
      for (const { pattern } of rules) {
        for (const { 0: match, index } of line.matchAll(pattern)) {
          if (index < cut && index + match.length > cut) cut = index + match.length
        }
      }
    }
    return cut
  }
}
