/**
 * Refusals of an access policy, and their conversion to a `ShellFault`.
 *
 * @module
 */
import type { CommandId } from "../command/CommandId.ts"
import type { FaultReason } from "../command/FaultReason.ts"
import { ShellFault } from "../command/ShellFault.ts"
import { quoteForMessage } from "./nameMatcher.ts"

/** A reason, and the same in words. */
export interface Refusal {
  readonly reason: FaultReason
  readonly message: string
}

/** A refusal of the policy: `policy` names the rule, `value` is what it is about. */
export const notAllowed = (policy: string, value: string, issue: string): Refusal => ({
  reason: { _tag: "NotAllowed", policy, value: value.length > 1_000 ? `${value.slice(0, 997)}...` : value },
  message: `exec: ${issue} (NOT_ALLOWED)`,
})

/** A command that the list does not name. */
export const notListed = (name: string): Refusal =>
  notAllowed("allowedCommands", name, `${quoteForMessage(name)} is not among the allowed commands`)

/** Something that cannot be told before it runs. */
export const undecided = (value: string, issue: string): Refusal => notAllowed("script", value, issue)

/** A refusal as the fault of a command. */
export const toShellFault = (commandId: CommandId, { message, reason }: Refusal): ShellFault =>
  ShellFault.because(commandId, reason, message)
