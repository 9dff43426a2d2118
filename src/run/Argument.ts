/** Declares the types of arguments and secrets in `./run`, without types of Effect. */
import type { RunResult } from "./RunResult.ts"

/**
 * A text that appears in no message, log or error. Made by `secret`; Effect's `Redacted<string>` is one too.
 */
export interface SecretText {
  /** Brand of a secret. The text cannot be read from here. */
  readonly "~effect/Redacted": object
  /** A name for messages: `<redacted:label>`. */
  readonly label: string | undefined
}

/**
 * One argument: text, a number, a boolean, a URL as text (`file:` as a path), a secret, or the result of a command as its
 * text.
 */
export type Argument = string | number | bigint | boolean | URL | SecretText | RunResult

/** A value in a template: one argument, or a part of one; a list is one argument for each element. */
export type TemplateArgument = Argument | ReadonlyArray<Argument>
