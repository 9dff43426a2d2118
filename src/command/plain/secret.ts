/** Distinguishes secret words from plain ones, and reveals or displays their text, without a Schema. */
import * as Redacted from "effect/Redacted"

type Word = string | Redacted.Redacted<string>

/**
 * Whether a word, a value of an environment or an input is secret.
 *
 * @example
 * ```ts
 * import { isSecret } from "@sluice/shell/leaf"
 * import { Redacted } from "effect"
 *
 * console.log(isSecret(Redacted.make("hunter2")) && !isSecret("plain")) // true
 * ```
 */
export const isSecret = (u: unknown): u is Redacted.Redacted<string> => Redacted.isRedacted(u)

/**
 * The text of a word, secrets revealed; `undefined` for a secret whose value was lost in an encoding.
 *
 * @example
 * ```ts
 * import { reveal } from "@sluice/shell/leaf"
 * import { Redacted } from "effect"
 *
 * console.log(reveal(Redacted.make("hunter2")), reveal("plain")) // hunter2 plain
 * ```
 */
export const reveal = (word: Word): string | undefined => {
  if (typeof word === "string") return word
  try {
    return Redacted.value(word)
  } catch {
    return undefined
  }
}

/**
 * The text of a word for people: a secret shows as `<redacted>` or `<redacted:label>`.
 *
 * @example
 * ```ts
 * import { display } from "@sluice/shell/leaf"
 * import { Redacted } from "effect"
 *
 * console.log(display("plain"), display(Redacted.make("hunter2"))) // plain <redacted>
 * ```
 */
export const display = (word: Word): string => typeof word === "string" ? word : String(word)

/** The prefix of a reference; the name of the secret follows. */
export const referenceScheme = "secret:"

/** Makes a reference to a secret: its text and its label name it, so that this is all that policies, journals and spans see. */
export const makeReference = (name: string): Redacted.Redacted<string> =>
  Redacted.make(`${referenceScheme}${name}`, { label: `${referenceScheme}${name}` })

/** The name in a reference; `undefined` for any other word. */
export const referenceOf = (word: unknown): string | undefined =>
  isSecret(word) && word.label?.startsWith(referenceScheme) === true && reveal(word) === word.label
    ? word.label.slice(referenceScheme.length)
    : undefined
