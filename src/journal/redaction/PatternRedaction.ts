/**
 * Replaces matches of regular expressions with markers, line by line, in text that arrives in pieces; skips patterns
 * whose hint texts are absent, and cuts a line that is too long outside of matches.
 *
 * @module
 */
import { MultiPatternMatcher } from "./MultiPatternMatcher.ts"
import { formatMarker } from "./secretForms.ts"

/**
 * A secret that is recognised by its form.
 *
 * @stability stable
 */
export interface Pattern {
  /** Matches within one line: `^` and `$` are its ends. Must take linear time: it sees whatever a command prints. */
  readonly pattern: RegExp
  /** Shown in place of a match: `<redacted:label>`. Default: `<redacted>`. */
  readonly label?: string | undefined
  /**
   * Texts of three characters or more, of which each match, or the text right beside it, contains one: text without any
   * is skipped, which is many times faster. Default: none.
   */
  readonly contains?: ReadonlyArray<string> | undefined
}

/**
 * Maximum length of a line that is matched as a whole; a longer one is cut.
 *
 * @stability stable
 */
export const maxLineLength = 65_536

/** How much of a cut line is kept for the next part: a match that is not longer stays whole. */
const overlapLength = 8_192

/** Minimum length of a `contains` text: a shorter one is in nearly every text. */
const minHintLength = 3

/** A prepared pattern. */
interface Rule {
  readonly pattern: RegExp
  readonly marker: string
  readonly contains: ReadonlyArray<string>
  /** Whether it has lookarounds or is sticky: then it must be applied to one line at a time. */
  readonly looksAround: boolean
}

/** Prepares a pattern; the caller's regular expression stays unchanged. */
const toRule = ({ contains = [], label, pattern }: Pattern): Rule => ({
  pattern: new RegExp(pattern.source, [...new Set([...pattern.flags, "g", "m"])].join("")),
  marker: formatMarker(label),
  contains: contains.some((part) => part.length < minHintLength) ? [] : contains,
  looksAround: pattern.sticky || /\(\?<?[=!]/.test(pattern.source),
})

/** Patterns that are prepared for any number of texts. */
export class CompiledPatterns {
  readonly #rules: ReadonlyArray<Rule>
  readonly #hintCount: number
  readonly #matcher: MultiPatternMatcher | undefined

  constructor(patterns: ReadonlyArray<Pattern>) {
    this.#rules = patterns.map(toRule)
    const hints = new Set(this.#rules.flatMap(({ contains }) => contains))
    this.#hintCount = hints.size
    this.#matcher = hints.size === 0
      ? undefined
      : new MultiPatternMatcher([...hints].map((text) => ({ text, marker: text })))
  }

  /** The rules that may match in a text, by one search for all their hints. */
  candidates(text: string): ReadonlyArray<Rule> {
    const hints = new Set<string>()
    let found = this.#matcher?.find(text, 0)
    while (found !== undefined && hints.size < this.#hintCount) {
      hints.add(found.marker)
      found = this.#matcher?.find(text, found.start + 1)
    }
    // A hint that is the start of another one is found with it.
    const isIn = (hint: string): boolean => hints.has(hint) || [...hints].some((other) => other.startsWith(hint))
    return this.#rules.filter(({ contains }) => contains.length === 0 || contains.some(isIn))
  }
}

const redactLine = (line: string, { marker, pattern }: Rule): string =>
  line.replace(pattern, (match) => match === "" ? "" : marker)

const redactLines = (text: string, rule: Rule): string =>
  text.split(/(?<=\n)/).map((line) => mayMatch(rule, line) ? redactLine(line, rule) : line).join("")

const mayMatch = ({ contains }: Rule, line: string): boolean =>
  contains.length === 0 || contains.some((part) => line.includes(part))

/** Redacts several lines at once where that gives the same result. */
const redactText = (text: string, rule: Rule): string => {
  if (rule.looksAround) return redactLines(text, rule)
  let spansLines = false
  const redacted = text.replace(rule.pattern, (match) => {
    spansLines ||= match.includes("\n")
    return match === "" ? "" : rule.marker
  })
  return spansLines ? redactLines(text, rule) : redacted
}

/** Redacts text that is pushed in pieces; an unfinished line is held back. */
export class PatternRedaction {
  readonly #patterns: CompiledPatterns
  #unfinished = ""

  constructor(patterns: CompiledPatterns) {
    this.#patterns = patterns
  }

  /** Takes a piece; returns the redacted lines that are complete. */
  push(text: string): string {
    const buffer = this.#unfinished + text
    if (buffer.length < maxLineLength && !text.includes("\n")) {
      this.#unfinished = buffer
      return ""
    }
    let released = ""
    let done = 0
    let line = 0
    for (;;) {
      const newline = buffer.indexOf("\n", line)
      const end = newline < 0 ? buffer.length : newline + 1
      if (end - line >= maxLineLength) {
        const cut = line + this.#findCut(buffer.slice(line, line + maxLineLength))
        released += this.#redact(buffer.slice(done, line)) + this.#redact(buffer.slice(line, cut))
        done = line = cut
      } else if (newline < 0) break
      else line = end
    }
    this.#unfinished = buffer.slice(line)
    return released + this.#redact(buffer.slice(done, line))
  }

  /** Ends the text; returns the rest. */
  end(): string {
    const rest = this.#unfinished
    this.#unfinished = ""
    return this.#redact(rest)
  }

  #redact(text: string): string {
    return text === "" ? text : this.#patterns.candidates(text).reduce(redactText, text)
  }

  /** Where to cut a line that is too long: outside of every match. */
  #findCut(line: string): number {
    let cut = maxLineLength - overlapLength
    const rules = this.#patterns.candidates(line)
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
