/**
 * Describes in tool descriptions and error messages what an access policy allows.
 *
 * @module
 */
import type { FaultReason } from "../command/FaultReason.ts"
import type { AccessPolicy } from "../policy/Policy.ts"

/** Names that a text has at most. */
const maxNames = 50

const listed = (names: ReadonlyArray<string>): string => {
  const shown = names.slice(0, maxNames).join(", ")
  return names.length > maxNames ? `${shown} and ${names.length - maxNames} more` : shown
}

/** The commands that a policy allows; nothing to say when it allows all. */
const allowedCommandsText = ({ allowedCommands }: AccessPolicy): string | undefined => {
  if (allowedCommands.includes("*")) return undefined
  return allowedCommands.length === 0 ? "no command is allowed" : `allowed commands: ${listed(allowedCommands)}`
}

/** The directories that a policy allows; nothing to say when it allows all. */
const allowedRootsText = ({ allowedCwdRoots }: AccessPolicy): string | undefined =>
  allowedCwdRoots === undefined || allowedCwdRoots.length === 0
    ? undefined
    : `allowed directories: ${listed(allowedCwdRoots)}, and those within`

/** The description of a tool, with what may be run by it. */
export const withPolicyText = (policy: AccessPolicy | undefined, description: string): string => {
  const allowed = policy === undefined ? undefined : allowedCommandsText(policy)
  return allowed === undefined ? description : `${description} In this server, ${allowed}.`
}

/** Why something was refused, and what would not be. */
export const withAllowedText = (
  message: string,
  reason: { readonly _tag: string },
  policy: AccessPolicy | undefined,
): string => {
  if (policy === undefined || !isNotAllowed(reason)) return message
  const allowed = reason.policy === "allowedCwdRoots"
    ? allowedRootsText(policy)
    : reason.policy === "allowedCommands"
    ? allowedCommandsText(policy)
    : undefined
  return allowed === undefined ? message : `${message}; ${allowed}`
}

type NotAllowed = Extract<FaultReason, { readonly _tag: "NotAllowed" }>

const isNotAllowed = (reason: { readonly _tag: string }): reason is NotAllowed => reason._tag === "NotAllowed"
