/**
 * Names the temporary files in which writes are staged, next to the file that they will replace, and recognizes them.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

const inUse = new Set<string>()

/**
 * A name that no other write has, in use until the scope closes. A file of such a name that is not in use is left over from a
 * process that was killed, or another process is writing it.
 */
export const temporaryName: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const name = `.sluice-${crypto.randomUUID()}.tmp`
    inUse.add(name)
    return name
  }),
  (name) => Effect.sync(() => inUse.delete(name)),
)

export const isInUse = (name: string): boolean => inUse.has(name)

export const isTemporaryName = (name: string): boolean => /^\.sluice-[0-9a-f-]{36}\.tmp$/.test(name)
