/**
 * Makes and combines redactors, which remove secrets and matches of patterns from text before it is stored, in whatever
 * pieces the text arrives.
 *
 * @module
 */
import * as Redacted from "effect/Redacted"
import { type LiteralPattern, MultiPatternMatcher } from "./MultiPatternMatcher.ts"
import { CompiledPatterns, type Pattern, PatternRedaction } from "./PatternRedaction.ts"
import { encodeSecret, formatMarker } from "./secretForms.ts"
import { SecretRedaction } from "./SecretRedaction.ts"

export { commonPatterns } from "./commonPatterns.ts"
export { maxLineLength, type Pattern } from "./PatternRedaction.ts"

/** The redaction of one text that arrives in pieces. */
export interface StreamingRedaction {
  /** Takes a piece; returns the text that can be stored now. The rest is held back until it is certain. */
  readonly push: (text: string) => string
  /** Ends the text; returns the text that was held back. */
  readonly end: () => string
  /**
   * Returns the part of an unfinished line that can be stored, such as a prompt on a terminal: nothing that may begin a
   * secret. Default: nothing is stored before its line ends.
   */
  readonly flush?: (() => string) | undefined
}

/** Removes secrets from text. The result does not depend on how the text is cut into pieces. */
export interface Redactor {
  /** Starts a text that arrives in pieces. */
  readonly begin: () => StreamingRedaction
  /** Redacts a complete text. */
  readonly text: (whole: string) => string
}

const makeRedactor = (begin: () => StreamingRedaction): Redactor => ({
  begin,
  text: (whole) => {
    const redaction = begin()
    return redaction.push(whole) + redaction.end()
  },
})

/**
 * Leaves every text unchanged.
 *
 * @example
 * ```ts
 * import { Redactor } from "@sluice/shell/journal"
 *
 * console.log(Redactor.none.text("hunter2")) // hunter2
 * ```
 */
export const none: Redactor = {
  begin: () => ({ push: (text) => text, end: () => "" }),
  text: (whole) => whole,
}

/**
 * Applies several redactors, one after the other.
 *
 * @example
 * ```ts
 * import { Redactor } from "@sluice/shell/journal"
 *
 * const redactor = Redactor.combine(
 *   Redactor.secrets([{ value: "hunter2" }]),
 *   Redactor.patterns([{ pattern: /\d{3}-\d{4}/, label: "phone" }]),
 * )
 * console.log(redactor.text("hunter2, 555-0100\n")) // <redacted>, <redacted:phone>
 * ```
 */
export const combine = (...redactors: ReadonlyArray<Redactor>): Redactor => {
  const active = redactors.filter((redactor) => redactor !== none)
  const [only] = active
  if (only === undefined) return none
  if (active.length === 1) return only
  return makeRedactor(() => {
    const redactions = active.map((redactor) => redactor.begin())
    return {
      push: (text) => redactions.reduce((piece, redaction) => redaction.push(piece), text),
      end: () => redactions.reduce((piece, redaction) => redaction.push(piece) + redaction.end(), ""),
      flush: () => redactions.reduce((piece, redaction) => redaction.push(piece) + (redaction.flush?.() ?? ""), ""),
    }
  })
}

/** A secret to remove. */
export interface SecretText {
  /** The text to remove. */
  readonly value: string | Redacted.Redacted<string>
  /** Shown in place of the secret: `<redacted:label>`. Default: the label of the `Redacted`, if it has one. */
  readonly label?: string | undefined
}

/** Options of {@link secrets}. */
export interface SecretsOptions {
  /**
   * Also search for the forms in which programs print a secret: in JSON, URLs, shells, base64 (also within a longer text)
   * and hexadecimal digits. Default: `true`.
   */
  readonly encoded?: boolean | undefined
}

/**
 * Minimum length of a secret, in characters. Shorter ones are not searched for: a text in which every `ok` is replaced
 * is useless.
 *
 * @example
 * ```ts
 * import { Redactor } from "@sluice/shell/journal"
 *
 * const short = "x".repeat(Redactor.minSecretLength - 1)
 * console.log(Redactor.secrets([{ value: short }]).text(short) === short) // true
 * ```
 */
export const minSecretLength = 4

const makeLiteralPatterns = (values: ReadonlyArray<SecretText>, encoded: boolean): ReadonlyArray<LiteralPattern> => {
  const patterns = new Map<string, LiteralPattern>()
  for (const { label, value } of values) {
    const text = typeof value === "string" ? value : Redacted.value(value)
    const marker = formatMarker(label ?? (typeof value === "string" ? undefined : value.label))
    if (text.length < minSecretLength) continue
    for (const form of encodeSecret(text, encoded)) {
      if (!patterns.has(form)) patterns.set(form, { text: form, marker })
    }
  }
  return [...patterns.values()]
}

/**
 * Removes these secrets. Only an end of the text that may be the start of a secret is held back; if the text ends there,
 * half of a secret or more is removed too. Secrets shorter than {@link minSecretLength} characters are ignored; of a
 * secret of several lines, each line of 16 characters or more is also searched for alone.
 *
 * @example
 * ```ts
 * import { Redactor } from "@sluice/shell/journal"
 *
 * const redaction = Redactor.secrets([{ value: "hunter2", label: "password" }]).begin()
 * const stored = redaction.push("the password is hun") + redaction.push("ter2\n") + redaction.end()
 * console.log(stored) // the password is <redacted:password>
 * ```
 */
export const secrets = (values: ReadonlyArray<SecretText>, options: SecretsOptions = {}): Redactor => {
  const patterns = makeLiteralPatterns(values, options.encoded ?? true)
  if (patterns.length === 0) return none
  const matcher = new MultiPatternMatcher(patterns)
  return makeRedactor(() => new SecretRedaction(matcher))
}

/**
 * Removes matches of patterns, line by line: an unfinished line is held back. A line longer than {@link maxLineLength} is
 * cut, but not within a match of up to 8,192 characters.
 *
 * @example
 * ```ts
 * import { Redactor } from "@sluice/shell/journal"
 *
 * const redactor = Redactor.patterns(Redactor.commonPatterns)
 * const token = "ghp_" + "a1B2".repeat(9)
 * console.log(redactor.text(`token: ${token}\n`)) // token: <redacted:GitHub token>
 * ```
 */
export const patterns = (all: ReadonlyArray<Pattern>): Redactor => {
  if (all.length === 0) return none
  const compiled = new CompiledPatterns(all)
  return makeRedactor(() => new PatternRedaction(compiled))
}
