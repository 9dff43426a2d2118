/** Shares a secret's value with the shells around the one that reads it, so that they redact it from their records. */
import * as Context from "effect/Context"

/** A secret value that a command gets, and the label that replaces it in records. */
export interface GivenSecret {
  readonly value: string
  readonly label?: string
}

/** Called with each value before the command can print it. Default: does nothing. */
export const GivenSecrets: Context.Reference<(secret: GivenSecret) => void> = Context.Reference<
  (secret: GivenSecret) => void
>("@sluice/shell/GivenSecrets", { defaultValue: () => () => {} })
