/** Fails where MCP tools for terminals are refused: a list of allowed commands is the only boundary. */
import * as Effect from "effect/Effect"
import { checkTerminals } from "../../mcp/checkTerminals.ts"
import type { AccessPolicy } from "../../policy/mod.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { UsageError } from "../UsageError.ts"

/** Fails before a client connects. */
export const requireTerminals = (
  policy: AccessPolicy | undefined,
  shell: ShellService,
): Effect.Effect<void, UsageError> => {
  const refused = checkTerminals(policy, shell)
  return refused === undefined ? Effect.void : Effect.fail(new UsageError(`--${refused.message}`))
}
