/** Replaces matches of regular expressions with markers, line by line, in text that arrives in pieces. */
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
   * Texts of three characters or more. Each match, or the text right next to it, must contain one of them: text that
   * contains none is skipped, which is many times faster. Default: none.
   */
  readonly contains?: ReadonlyArray<string> | undefined
}

/**
 * Maximum length of a line that is matched as a whole; a longer one is cut.
 *
 * @stability stable
 */
export const maxLineLength = 65_536

/** Length of a cut line that is kept for the next part, so that a match of at most this length stays whole. */
const overlapLength = 8_192

/** Minimum length of a `contains` text; shorter ones occur in nearly every text. */
const minHintLength = 3

interface Rule {
  readonly pattern: RegExp
  readonly marker: string
  readonly contains: ReadonlyArray<string>
  /** Texts with which a match begins, as far as they are known: its hints, or the literal start of its pattern. */
  readonly begins: ReadonlyArray<string>
  /** Whether the pattern has lookarounds or is sticky, and so must be applied to one line at a time. */
  readonly looksAround: boolean
}

const findLiteralStart = ({ flags, source }: RegExp): ReadonlyArray<string> => {
  if (flags.includes("i") || source.includes("|")) return []
  const [, literal = "", quantifier] = /^(?:\\b|\^)?([A-Za-z0-9_:=@/-]*)([?*+{])?/.exec(source) ?? []
  const start = quantifier === undefined ? literal : literal.slice(0, -1)
  return start.length < minHintLength ? [] : [start]
}

/** Prepares a pattern; the caller's regular expression stays unchanged. */
const toRule = ({ contains = [], label, pattern }: Pattern): Rule => ({
  pattern: new RegExp(pattern.source, [...new Set([...pattern.flags, "g", "m"])].join("")),
  marker: formatMarker(label),
  contains: contains.some((part) => part.length < minHintLength) ? [] : contains,
  begins: contains.length === 0 ? findLiteralStart(pattern) : contains,
  looksAround: pattern.sticky || /\(\?<?[=!]/.test(pattern.source),
})

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
    // A hint that is the start of another hint is found with that one.
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

interface Match {
  readonly start: number
  readonly end: number
  readonly marker: string
}

const findMatches = (line: string, rules: ReadonlyArray<Rule>): ReadonlyArray<Match> =>
  rules.flatMap(({ marker, pattern }) =>
    Array.from(line.matchAll(pattern), ({ 0: match, index }) => ({ start: index, end: index + match.length, marker }))
  ).filter(({ end, start }) => end > start).sort((a, b) => a.start - b.start)

/**
 * A part of a line, with the matches replaced. A match that began before this part becomes one marker, unless
 * `isReplaced`, which means that its start was already replaced.
 */
const release = (
  line: string,
  from: number,
  to: number,
  matches: ReadonlyArray<Match>,
  isReplaced: boolean,
): string => {
  let released = ""
  let covered = from
  for (const { end, marker, start } of matches) {
    if (start >= to) break
    if (end <= covered) continue
    if (start >= covered) released += line.slice(covered, start) + marker
    else if (covered === from && !isReplaced) released += marker
    covered = end
  }
  return released + line.slice(Math.min(covered, to), to)
}

/** Characters of keys and tokens; a prompt ends in other characters. */
const tokenCharacter = /[\p{L}\p{N}_+/=.~-]/u

const wordCharacter = /\S/

const findRun = (line: string, end: number, kind: RegExp): number => {
  let start = end
  while (start > 0 && kind.test(line.charAt(start - 1))) start--
  return start
}

/**
 * The index from which an unfinished line may be inside a match: of a word that begins like one, or of any key or
 * token.
 */
const findUnfinishedMatch = (line: string, rules: ReadonlyArray<Rule>, matches: ReadonlyArray<Match>): number => {
  let start = line.length
  for (const { begins } of rules) {
    if (begins.length === 0) start = Math.min(start, findRun(line, line.length, tokenCharacter))
    for (const text of begins) {
      const at = line.lastIndexOf(text)
      if (at < 0 || /\s/.test(line.slice(at + text.length))) continue
      if (matches.some((match) => match.start <= at && at < match.end)) continue
      start = Math.min(start, findRun(line, at, wordCharacter))
    }
  }
  return start
}

const redactText = (text: string, rule: Rule): string => {
  if (rule.looksAround) return redactLines(text, rule)
  let spansLines = false
  const redacted = text.replace(rule.pattern, (match) => {
    spansLines ||= match.includes("\n")
    return match === "" ? "" : rule.marker
  })
  return spansLines ? redactLines(text, rule) : redacted
}

/** Redacts text that is pushed in pieces; an unfinished line is held back, unless it is flushed. */
export class PatternRedaction {
  readonly #patterns: CompiledPatterns
  #unfinished = ""
  /** The length of the part of the unfinished line that was flushed. */
  #flushed = 0
  #endsInMatch = false

  constructor(patterns: CompiledPatterns) {
    this.#patterns = patterns
  }

  push(text: string): string {
    return this.#flushed === 0 ? this.#pushLines(text) : this.#pushAfterFlush(text)
  }

  /** Returns the part of an unfinished line that can be stored, because no part of it may begin a match. */
  flush(): string {
    const line = this.#unfinished
    if (this.#flushed === line.length) return ""
    const rules = this.#patterns.candidates(line)
    const matches = findMatches(line, rules)
    const isMatch = matches.some(({ end }) => end === line.length)
    const end = isMatch ? line.length : Math.max(this.#flushed, findUnfinishedMatch(line, rules, matches))
    const released = release(line, this.#flushed, end, matches, this.#endsInMatch)
    if (end > this.#flushed) this.#endsInMatch = isMatch
    // Flushed text is kept, because a match may have begun in it.
    const dropped = Math.max(0, end - overlapLength)
    this.#unfinished = line.slice(dropped)
    this.#flushed = end - dropped
    return released
  }

  #pushAfterFlush(text: string): string {
    const newline = text.indexOf("\n")
    this.#unfinished += newline < 0 ? text : text.slice(0, newline + 1)
    if (newline >= 0) return this.end() + this.#pushLines(text.slice(newline + 1))
    if (this.#unfinished.length < maxLineLength) return ""
    const released = this.flush()
    return this.#unfinished.length - this.#flushed < overlapLength ? released : released + this.end()
  }

  #pushLines(text: string): string {
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

  end(): string {
    const rest = this.#unfinished
    const flushed = this.#flushed
    this.#unfinished = ""
    this.#flushed = 0
    const isReplaced = this.#endsInMatch
    this.#endsInMatch = false
    return flushed === 0
      ? this.#redact(rest)
      : release(rest, flushed, rest.length, findMatches(rest, this.#patterns.candidates(rest)), isReplaced)
  }

  #redact(text: string): string {
    return text === "" ? text : this.#patterns.candidates(text).reduce(redactText, text)
  }

  /** Finds the place at which to cut a line that is too long, outside of every match. */
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
