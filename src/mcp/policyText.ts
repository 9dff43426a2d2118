/** Describes, for tool descriptions and error messages, the commands and directories that an access policy allows. */
import * as Stream from "effect/Stream"
import type { FaultReason } from "../command/FaultReason.ts"
import { type ShellFault, withFaultFields } from "../command/ShellFault.ts"
import type { AccessPolicy } from "../policy/mod.ts"
import type { ShellService } from "../shell/ShellService.ts"

const maxNames = 50

const listed = (names: ReadonlyArray<string>): string => {
  const shown = names.slice(0, maxNames).join(", ")
  return names.length > maxNames ? `${shown} and ${names.length - maxNames} more` : shown
}

/** Lists the allowed commands; `undefined` if all are. */
const allowedCommandsText = ({ allowedCommands }: AccessPolicy): string | undefined => {
  if (allowedCommands.includes("*")) return undefined
  return allowedCommands.length === 0 ? "no command is allowed" : `allowed commands: ${listed(allowedCommands)}`
}

/** Lists the allowed directories; `undefined` if all are. */
const allowedRootsText = ({ allowedCwdRoots }: AccessPolicy): string | undefined =>
  allowedCwdRoots === undefined || allowedCwdRoots.length === 0
    ? undefined
    : `allowed directories: ${listed(allowedCwdRoots)}, and those within`

/** Adds the allowed commands to the description of a tool. */
export const withPolicyText = (policy: AccessPolicy | undefined, description: string): string => {
  const allowed = policy === undefined ? undefined : allowedCommandsText(policy)
  return allowed === undefined ? description : `${description} In this server, ${allowed}.`
}

/** Adds the allowed commands to the message of a refusal. */
export const withAllowedText = (
  message: string,
  reason: { readonly _tag: string },
  policy: AccessPolicy | undefined,
): string => {
  if (policy === undefined || !isNotAllowed(reason)) return message
  // A root that is not a directory is a mistake in the configuration: choosing another directory would not help.
  if (reason.policy === "allowedCwdRoots" && policy.allowedCwdRoots?.includes(reason.value ?? "")) return message
  const allowed = reason.policy === "allowedCwdRoots"
    ? allowedRootsText(policy)
    : reason.policy === "allowedCommands"
    ? allowedCommandsText(policy)
    : undefined
  return allowed === undefined ? message : `${message}; ${allowed}`
}

export const withAllowedTexts = (shell: ShellService, policy: AccessPolicy | undefined): ShellService => {
  if (policy === undefined) return shell
  const tell = (fault: ShellFault): ShellFault => {
    const message = withAllowedText(fault.message, fault.reason, policy)
    return message === fault.message ? fault : withFaultFields(fault, { message })
  }
  return {
    ...shell,
    exec: (exec, options) => Stream.mapError(shell.exec(exec, options), tell),
    bytes: (exec, options) => Stream.mapError(shell.bytes(exec, options), tell),
  }
}

type NotAllowed = Extract<FaultReason, { readonly _tag: "NotAllowed" }>

const isNotAllowed = (reason: { readonly _tag: string }): reason is NotAllowed => reason._tag === "NotAllowed"
