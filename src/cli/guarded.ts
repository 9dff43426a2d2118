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

/** Most entries that a warning names. */
const mostNamed = 5

/** Says which entries allow everything: whoever made the list may not know of them. */
const warnOf = (policy: AccessPolicy, output: Output): Effect.Effect<void> => {
  const names = AccessPolicy.unbounded(policy)
  if (names.length === 0) return Effect.void
  const named = names.slice(0, mostNamed).join(", ") + (names.length > mostNamed ? ", …" : "")
  return Effect.ignore(say(output, `the allowed commands bound nothing: whoever may run ${named} may run anything`))
}

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
