/** Guards the shell of the context with the access policy of the tools. */
import * as Effect from "effect/Effect"
import { AccessPolicy } from "../policy/AccessPolicy.ts"
import type { AccessPolicyError } from "../policy/AccessPolicyError.ts"
import { Shell } from "../shell/Shell.ts"
import type { ShellService } from "../shell/ShellService.ts"

/** The shell of the context, guarded by `policy` if there is one. Fails if the shell cannot enforce it. */
export const guardedShell = (
  policy: AccessPolicy | undefined,
): Effect.Effect<ShellService, AccessPolicyError, Shell> =>
  Effect.flatMap(Shell, (shell) => policy === undefined ? Effect.succeed(shell) : AccessPolicy.wrap(policy, shell))
