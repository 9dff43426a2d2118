/** Makes secrets, texts that appear in no message, for programs that do not use Effect. */
import * as Redacted from "effect/Redacted"
import type { SecretText } from "./Argument.ts"

/**
 * Makes a secret: text that appears in no message, log or error. With a label it is shown as `<redacted:label>`.
 *
 * @example
 * ```ts
 * import { run, secret } from "@sluice/shell/run"
 *
 * const token = secret("hunter2", "token")
 * console.log(String(token)) // <redacted:token>
 * console.log((await run("printenv", ["TOKEN"], { env: { TOKEN: token } })).stdout) // hunter2
 * ```
 */
export const secret = (text: string, label?: string): SecretText =>
  Redacted.make(text, label === undefined ? undefined : { label })
