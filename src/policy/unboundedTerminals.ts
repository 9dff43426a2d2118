/**
 * Explains why a policy refuses terminals: no policy checks typed input, so a list of commands would not be a boundary.
 */
import type { ShellService } from "../shell/ShellService.ts"
import type { AccessPolicySettings } from "./accessPolicyFields.ts"

/**
 * The reason why commands of a shell may not have a terminal under a policy; `undefined` if they may. Any allowed
 * program that starts others on a terminal, such as an editor or git's pager, would be a way around the list. An
 * isolated leaf is not affected.
 */
export const unboundedTerminals = (
  { allowedCommands, argumentRules = {}, code }: AccessPolicySettings,
  shell: ShellService,
): string | undefined => {
  const allowsAll = allowedCommands.includes("*") && Object.keys(argumentRules).length === 0 && code !== "refuse"
  return allowsAll || shell.capabilities.isolated
    ? undefined
    : "a list of allowed commands cannot check typed commands: run commands in an isolated shell (--isolated), or allow all (*)"
}
