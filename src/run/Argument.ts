/**
 * Types of arguments and secrets, without Effect.
 *
 * @module
 */

/** A text that appears in no message, log or error. Made by `secret`; Effect's `Redacted<string>` is one. */
export interface SecretText {
  /** The mark of a secret. The text itself is not reachable from here. */
  readonly "~effect/Redacted": object
  /** A name for messages: `<redacted:label>`. */
  readonly label: string | undefined
}

/** One argument: text, a number as its digits, a boolean, a URL as its text (`file:` as its path), or a secret. */
export type Argument = string | number | bigint | boolean | URL | SecretText

/** A value of a template: one argument or a part of one; a list is one argument for each element. */
export type TemplateArgument = Argument | ReadonlyArray<Argument>
