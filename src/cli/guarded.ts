/**
 * The shell behind what may be run on it.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { AccessPolicy } from "../shell/AccessPolicy.ts"
import type { ShellService } from "../shell/ShellService.ts"
import type { Output } from "./Output.ts"
import { say } from "./say.ts"
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

/** Says what the list leaves open: its author may not know. */
const warnOf = (policy: AccessPolicy, output: Output): Effect.Effect<void> =>
  Effect.forEach(AccessPolicy.risks(policy), ({ message }) => Effect.ignore(say(output, message)), { discard: true })

/** Puts a shell behind what is allowed; where nothing was said, everything is. A list that bounds nothing is told. */
export const guarded = (
  shell: ShellService,
  allowed: Allowed | undefined,
  output: Output,
): Effect.Effect<Guarded, UsageError> => {
  if (allowed === undefined) return Effect.succeed({ shell, guardedBy: undefined })
  return Effect.gen(function* () {
    const guardedBy = yield* AccessPolicy.fromEnvironment({ ...allowed })
    yield* warnOf(guardedBy, output)
    return { shell: yield* AccessPolicy.wrap(guardedBy, shell), guardedBy }
  }).pipe(Effect.mapError(({ message }) => new UsageError(message)))
}
