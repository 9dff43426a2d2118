/**
 * What must not get into a journal: text goes through a redactor before it is stored, in whatever pieces it comes.
 *
 * @module
 */
import * as Redacted from "effect/Redacted"
import * as Base64 from "effect/encoding/Base64"
import { type Needle, NeedleRun } from "./Needles.ts"

/** One text on its way through a redactor, piece by piece. */
export interface RedactorRun {
  /** Takes a piece; answers with what may be stored now. The rest is held back until it is certain what it is. */
  readonly push: (text: string) => string
  /** What was held back to the last. */
  readonly end: () => string
}

/** Takes out of text what must not be stored. However a text is cut into pieces, what comes out is the same. */
export interface Redactor {
  /** Begins a text that comes in pieces. */
  readonly begin: () => RedactorRun
  /** A text that is there as a whole. */
  readonly text: (whole: string) => string
}

const redactorOf = (begin: () => RedactorRun): Redactor => ({
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
   * Also look for how programs commonly print a secret: escaped as in JSON and in URLs, and in base64 (of the secret
   * alone: within a longer text it looks otherwise). Default: `true`.
   */
  readonly encoded?: boolean | undefined
}

/** Shorter secrets are not looked for: what is left of a text without every `ok` in it is of no use to anybody. */
export const minSecretLength = 4

/** A line of a secret of several lines, such as a private key, is looked for alone when it has so many characters. */
const minLineLength = 16

const markerOf = (label: string | undefined): string => label === undefined ? "<redacted>" : `<redacted:${label}>`

const jsonOf = (value: string): string => JSON.stringify(value).slice(1, -1)

const urlOf = (value: string): string => {
  try {
    return encodeURIComponent(value)
  } catch {
    // A lone surrogate stands in no URL.
    return value
  }
}

const formsOf = (value: string, encoded: boolean): ReadonlyArray<string> => {
  const lines = value.split(/\r?\n/).filter((line) => line.length >= minLineLength)
  if (!encoded) return [value, ...lines]
  const base64 = Base64.encode(value)
  return [value, ...lines, jsonOf(value), urlOf(value), base64, base64.replace(/=+$/, "")]
}

const needlesOf = (values: ReadonlyArray<SecretText>, encoded: boolean): ReadonlyArray<Needle> => {
  const needles = new Map<string, Needle>()
  for (const { label, value } of values) {
    const text = typeof value === "string" ? value : Redacted.value(value)
    const marker = markerOf(label ?? (typeof value === "string" ? undefined : value.label))
    if (text.length < minSecretLength) continue
    for (const form of formsOf(text, encoded)) if (!needles.has(form)) needles.set(form, { text: form, marker })
  }
  return [...needles.values()]
}

/**
 * Takes these secrets out. Held back is only an end of the text that may be the beginning of a secret. Secrets shorter
 * than {@link minSecretLength} characters are not looked for; of a secret of several lines each long line is, too.
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
  const needles = needlesOf(values, options.encoded ?? true)
  return needles.length === 0 ? none : redactorOf(() => new NeedleRun(needles))
}

/** Something that is known by how it looks. */
export interface Pattern {
  /** What is replaced, within one line. Must be linear: it sees whatever a command prints. */
  readonly pattern: RegExp
  /** Shown in its place: `<redacted:label>`. */
  readonly label?: string | undefined
}

/** The longest line that is looked at as a whole; a longer one is cut into lines of this length. */
export const maxLineLength = 65_536

/**
 * Takes out what looks like a secret, line by line: so the beginning of a line is held back until its end is there, as it
 * mostly is. What a pattern finds in a line longer than {@link maxLineLength} must not lie across a cut.
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
  const rules = all.map(({ label, pattern }) => ({
    pattern: new RegExp(pattern.source, pattern.flags.includes("g") ? pattern.flags : `${pattern.flags}g`),
    marker: markerOf(label),
  }))
  const clean = (line: string): string =>
    rules.reduce((text, { marker, pattern }) => text.replace(pattern, () => marker), line)
  return rules.length === 0 ? none : redactorOf(() => {
    let held = ""
    return {
      push: (text) => {
        held += text
        let out = ""
        let start = 0
        for (;;) {
          const newline = held.indexOf("\n", start)
          const end = newline < 0 ? held.length : newline + 1
          if (end - start >= maxLineLength) out += clean(held.slice(start, start += maxLineLength))
          else if (newline < 0) break
          else out += clean(held.slice(start, start = end))
        }
        held = held.slice(start)
        return out
      },
      end: () => {
        const rest = clean(held)
        held = ""
        return rest
      },
    }
  })
}

/** Secrets that are told by their look, and by little else that looks so: keys and tokens with a prefix of their own. */
export const commonPatterns: ReadonlyArray<Pattern> = [
  { pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/, label: "AWS access key id" },
  { pattern: /\bgh[pousr]_[0-9A-Za-z]{36,255}\b/, label: "GitHub token" },
  { pattern: /\bgithub_pat_[0-9A-Za-z_]{22,255}\b/, label: "GitHub token" },
  { pattern: /\bglpat-[0-9A-Za-z_-]{20,255}/, label: "GitLab token" },
  { pattern: /\bxox[abeoprs]-[0-9A-Za-z-]{10,255}/, label: "Slack token" },
  { pattern: /\bnpm_[0-9A-Za-z]{36}\b/, label: "npm token" },
  { pattern: /\bsk-(?:ant-|proj-)?[0-9A-Za-z_-]{20,255}/, label: "API key" },
  { pattern: /\beyJ[0-9A-Za-z_-]{10,4096}\.eyJ[0-9A-Za-z_-]{10,8192}\.[0-9A-Za-z_-]{10,1024}/, label: "JWT" },
  { pattern: /(?<=\b[Bb]earer )[0-9A-Za-z._~+/-]{16,4096}=*/, label: "bearer token" },
]
