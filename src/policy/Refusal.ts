/**
 * Declares refusals of an access policy, and converts them to a `ShellFault`.
 *
 * @module
 */
import type { CommandId } from "../command/CommandId.ts"
import type { FaultReason } from "../command/FaultReason.ts"
import { ShellFault } from "../command/ShellFault.ts"
import { quoteForMessage } from "./nameMatcher.ts"

/** The reason of a refusal, with its message. */
export interface Refusal {
  readonly reason: FaultReason
  readonly message: string
}

/** Makes a refusal by a rule of the policy; `value` is the refused text. */
export const notAllowed = (policy: string, value: string, issue: string): Refusal => ({
  reason: { _tag: "NotAllowed", policy, value: value.length > 1_000 ? `${value.slice(0, 997)}...` : value },
  message: `exec: ${issue} (NOT_ALLOWED)`,
})

/** Makes the refusal of a command that is not in the list. */
export const notListed = (name: string): Refusal =>
  notAllowed("allowedCommands", name, `${quoteForMessage(name)} is not among the allowed commands`)

/** Makes the refusal of something that is known only when it runs. */
export const undecided = (value: string, issue: string): Refusal => notAllowed("script", value, issue)

/** Converts a refusal to the fault of a command. */
export const toShellFault = (commandId: CommandId, { message, reason }: Refusal): ShellFault =>
  ShellFault.because(commandId, reason, message)
