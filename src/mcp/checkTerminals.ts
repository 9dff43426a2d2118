/** Refuses tools for terminals where a list of allowed commands is the only boundary. */
import { OptionError } from "../base/OptionError.ts"
import type { AccessPolicy } from "../policy/mod.ts"
import { unboundedTerminals } from "../policy/unboundedTerminals.ts"
import type { ShellService } from "../shell/ShellService.ts"

export const checkTerminals = (policy: AccessPolicy | undefined, shell: ShellService): OptionError | undefined => {
  const why = policy === undefined ? undefined : unboundedTerminals(policy, shell)
  return why === undefined ? undefined : new OptionError("terminals", `terminals: ${why}`)
}
