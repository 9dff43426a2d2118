/**
 * What must not get into a journal: text goes through a redactor before it is stored, in whatever pieces it comes.
 *
 * @module
 */
import * as Redacted from "effect/Redacted"
import { compilePatterns, type Pattern, PatternRedaction } from "./PatternRedaction.ts"
import { decodedText } from "./decodeEscapes.ts"
import { type EscapedSecrets, SecretRedaction } from "./SecretRedaction.ts"
import { type LiteralPattern, MultiPatternMatcher } from "./MultiPatternMatcher.ts"
import { encodeSecret, formatMarker, splitEncodedSecret } from "./secretForms.ts"

export { commonPatterns } from "./commonPatterns.ts"
export { maxLineLength, type Pattern } from "./PatternRedaction.ts"

/** One text on its way through a redactor, piece by piece. */
export interface StreamingRedaction {
  /** Takes a piece; answers with what may be stored now. The rest is held back until it is certain what it is. */
  readonly push: (text: string) => string
  /** What was held back to the last. */
  readonly end: () => string
}

/** Takes out of text what must not be stored. However a text is cut into pieces, what comes out is the same. */
export interface Redactor {
  /** Begins a text that comes in pieces. */
  readonly begin: () => StreamingRedaction
  /** A text that is there as a whole. */
  readonly text: (whole: string) => string
}

const redactorOf = (begin: () => StreamingRedaction): Redactor => ({
  begin,
  text: (whole) => {
    const run = begin()
    return run.push(whole) + run.end()
  },
})

/** Lets everything through. */
export const none: Redactor = {
  begin: () => ({ push: (text) => text, end: () => "" }),
  text: (whole) => whole,
}

/** Several redactors, one after the other. */
export const combine = (...redactors: ReadonlyArray<Redactor>): Redactor => {
  const some = redactors.filter((redactor) => redactor !== none)
  const [only] = some
  if (only === undefined) return none
  if (some.length === 1) return only
  return redactorOf(() => {
    const runs = some.map((redactor) => redactor.begin())
    return {
      push: (text) => runs.reduce((piece, run) => run.push(piece), text),
      end: () => runs.reduce((piece, run) => run.push(piece) + run.end(), ""),
    }
  })
}

/** A secret to look for. */
export interface SecretText {
  readonly value: string | Redacted.Redacted<string>
  /** Shown in its place: `<redacted:label>`. Default: the label of the `Redacted`, if it has one. */
  readonly label?: string | undefined
}

/** Settings of {@link secrets}. */
export interface SecretsOptions {
  /**
   * Also look for how programs commonly print a secret: escaped as in JSON, in URLs, in HTML, in C and in a shell, also
   * one within the other; and in base64, base32 and hexadecimal digits, alone or within a longer text, on one line or on
   * several. Default: `true`.
   */
  readonly encoded?: boolean | undefined
}

/** Shorter secrets are not looked for: what is left of a text without every `ok` in it is of no use to anybody. */
export const minSecretLength = 4

const needlesOf = (values: ReadonlyArray<SecretText>, encoded: boolean): ReadonlyArray<LiteralPattern> => {
  const needles = new Map<string, LiteralPattern>()
  for (const { label, value } of values) {
    const text = typeof value === "string" ? value : Redacted.value(value)
    const marker = formatMarker(label ?? (typeof value === "string" ? undefined : value.label))
    if (text.length < minSecretLength) continue
    for (const form of encodeSecret(text, encoded)) {
      if (needles.get(form)?.isHint !== false) needles.set(form, { text: form, marker, isHint: false })
    }
    if (!encoded) continue
    for (const hint of splitEncodedSecret(text)) {
      if (!needles.has(hint)) needles.set(hint, { text: hint, marker: "", isHint: true })
    }
  }
  return [...needles.values()]
}

/**
 * The needles as they read when everything that looks like an escape is decoded, as a text is that they are looked for in:
 * so a secret with a backslash or a `%` is found however it was escaped.
 */
const escapedNeedles = (all: ReadonlyArray<LiteralPattern>): EscapedSecrets | undefined => {
  const hasQuotes = all.some(({ text }) => /['"]/.test(decodedText(text, false)))
  const needles = new Map<string, LiteralPattern>()
  for (const { isHint, marker, text } of all) {
    if (isHint === true) continue
    // A backslash at the end would be one escape with the quote that follows it.
    const decoded = decodedText(text, hasQuotes).replace(/\\+$/, "")
    if (decoded.length >= minSecretLength && !needles.has(decoded)) needles.set(decoded, { text: decoded, marker })
  }
  if (needles.size === 0) return undefined
  return { needles: new MultiPatternMatcher([...needles.values()]), hasQuotes }
}

/**
 * Takes these secrets out. Held back is only an end of the text that may be the beginning of a secret; should the text end
 * there, half of a secret or more is taken out too. Secrets shorter than {@link minSecretLength} characters are not looked
 * for; of a secret of several lines each line of 16 characters or more is looked for alone, too.
 *
 * @example
 * ```ts
 * import { Redactor } from "@sluice/shell/journal"
 *
 * const run = Redactor.secrets([{ value: "hunter2", label: "password" }]).begin()
 * const stored = run.push("the password is hun") + run.push("ter2\n") + run.end()
 * console.assert(stored === "the password is <redacted:password>\n")
 * ```
 */
export const secrets = (values: ReadonlyArray<SecretText>, options: SecretsOptions = {}): Redactor => {
  const all = needlesOf(values, options.encoded ?? true)
  if (all.length === 0) return none
  const needles = new MultiPatternMatcher(all)
  const escaped = options.encoded === false ? undefined : escapedNeedles(all)
  return redactorOf(() => new SecretRedaction(needles, escaped))
}

/**
 * Takes out what looks like a secret, line by line: so the beginning of a line is held back until its end is there, as it
 * mostly is. A line longer than {@link maxLineLength} is cut, but not within what a pattern finds, if that is no longer
 * than 8,192 characters.
 *
 * @example
 * ```ts
 * import { Redactor } from "@sluice/shell/journal"
 *
 * const redactor = Redactor.patterns(Redactor.commonPatterns)
 * const token = "ghp_" + "a1B2".repeat(9)
 * console.assert(redactor.text(`token: ${token}\n`) === "token: <redacted:GitHub token>\n")
 * ```
 */
export const patterns = (all: ReadonlyArray<Pattern>): Redactor => {
  if (all.length === 0) return none
  const hints = compilePatterns(all)
  return redactorOf(() => new PatternRedaction(hints))
}
