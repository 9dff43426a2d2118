/**
 * The shell behind what may be run on it.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { AccessPolicy } from "../shell/AccessPolicy.ts"
import type { ShellService } from "../shell/ShellService.ts"
import { UsageError } from "./UsageError.ts"

/** What may be run, as the variables of the execution document say it: items with commas between them. */
export interface Allowed {
  readonly ALLOWED_COMMANDS: string | undefined
  readonly ALLOWED_CWD_ROOTS: string | undefined
}

/** A shell, and the policy that it is behind. */
export interface Guarded {
  readonly shell: ShellService
  readonly guardedBy: AccessPolicy | undefined
}

/** Puts a shell behind what is allowed; where nothing was said, everything is. */
export const guarded = (shell: ShellService, allowed: Allowed | undefined): Effect.Effect<Guarded, UsageError> => {
  if (allowed === undefined) return Effect.succeed({ shell, guardedBy: undefined })
  return Effect.gen(function* () {
    const guardedBy = yield* AccessPolicy.fromEnvironment({ ...allowed })
    return { shell: yield* AccessPolicy.wrap(guardedBy, shell), guardedBy }
  }).pipe(Effect.mapError(({ message }) => new UsageError(message)))
}
