/** Declares refusals of an access policy, and converts them to a `ShellFault`. */
import { escapeInvisible } from "../base/escapeInvisible.ts"
import { escapeQuoted, quoteIfNeeded } from "../base/quote.ts"
import type { CommandId } from "../command/CommandId.ts"
import type { FaultReason } from "../command/FaultReason.ts"
import { isSecret, reveal } from "../command/Secret.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/ShellFault.ts"

export interface PolicyRefusal {
  readonly reason: FaultReason
  readonly message: string
}

/** Makes a refusal by a rule of the policy; `value` is the refused text. */
export const notAllowed = (policy: string, value: string, issue: string): PolicyRefusal => ({
  reason: { _tag: "NotAllowed", policy, value: value.length > 1_000 ? `${value.slice(0, 997)}...` : value },
  message: `exec: ${issue} (NOT_ALLOWED)`,
})

export const notListed = (name: string): PolicyRefusal =>
  notAllowed("allowedCommands", name, `${quoteIfNeeded(name)} is not among the allowed commands`)

/** Makes the refusal of a value that is known only at run time. */
export const undecided = (value: string, issue: string): PolicyRefusal => notAllowed("script", value, issue)

/** Minimum length of a prefix of a secret that is hidden, because messages cut quoted text. */
const minHidden = 8

/**
 * The length of a text at an index of a message, or of the beginning of the text if the message cuts it; 0 if it is not
 * there.
 */
const lengthAt = (message: string, at: number, text: string): number => {
  let length = 0
  while (length < text.length && message[at + length] === text[length]) length++
  return length < Math.min(text.length, minHidden) ? 0 : length
}

/** Hides texts in a message, whole or cut; if several match at one place, the longest. */
const hideTexts = (message: string, texts: ReadonlyArray<string>): string => {
  let shown = ""
  for (let at = 0; at < message.length;) {
    const length = Math.max(...texts.map((text) => lengthAt(message, at, text)))
    shown += length === 0 ? message[at] : "<redacted>"
    at += Math.max(length, 1)
  }
  return shown
}

/** A refusal without the secrets of a command, or their beginnings, in plain or in quoted form. */
export const withoutSecrets = (
  refusal: PolicyRefusal,
  { arguments: words, environment = {} }: Pick<ShellExec, "arguments" | "environment">,
): PolicyRefusal => {
  const secrets = [...words, ...Object.values(environment)].flatMap((word) =>
    word !== null && isSecret(word) ? [reveal(word) ?? ""] : []
  )
  const hidden = [...new Set(secrets.flatMap((text) => [text, escapeInvisible(text), escapeQuoted(text)]))]
    .filter((text) => text !== "")
  if (hidden.length === 0) return refusal
  const hide = (text: string): string => hideTexts(text, hidden)
  const { message, reason } = refusal
  return {
    message: hide(message),
    reason: "path" in reason && reason.path !== undefined
      ? { ...reason, path: hide(reason.path) }
      : reason._tag === "NotAllowed" && reason.value !== undefined
      ? { ...reason, value: hide(reason.value) }
      : reason,
  }
}

export const toShellFault = (commandId: CommandId, { message, reason }: PolicyRefusal): ShellFault =>
  ShellFault.because(commandId, reason, message)
