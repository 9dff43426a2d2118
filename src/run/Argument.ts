/**
 * Declares the types of arguments and secrets in `./run`, without types of Effect.
 *
 * @module
 */
import type { RunResult } from "./RunResult.ts"

/**
 * A text that appears in no message, log or error. Made by `secret`; Effect's `Redacted<string>` is one too.
 *
 * @example
 * ```ts
 * import { run, secret, type SecretText } from "@sluice/shell/run"
 *
 * const token: SecretText = secret("hunter2", "token")
 * console.log(String(token).includes("hunter2")) // false
 * console.log(await run("sh", ["-c", "echo ${#TOKEN}"], { env: { TOKEN: token } }).text()) // 7
 * ```
 *
 * @stability stable
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
 *
 * @example
 * ```ts
 * import { $, type Argument, secret } from "@sluice/shell/run"
 *
 * const list: ReadonlyArray<Argument> = ["a b", 3, 4n, false, secret("s3cret")]
 * console.log(await $`printf ${"%s|"} ${list}`.text()) // a b|3|4|false|s3cret|
 * ```
 *
 * @stability stable
 */
export type Argument = string | number | bigint | boolean | URL | SecretText | RunResult

/**
 * A value in a template: one argument, or a part of one; a list is one argument for each element.
 *
 * @example
 * ```ts
 * import { $, type TemplateArgument } from "@sluice/shell/run"
 *
 * const files: TemplateArgument = ["a b", "c"]
 * console.log(await $`printf ${"%s|"} ${files}`.text()) // a b|c|
 * ```
 *
 * @stability stable
 */
export type TemplateArgument = Argument | ReadonlyArray<Argument>
