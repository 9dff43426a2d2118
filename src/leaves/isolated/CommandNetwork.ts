/** Gives each isolated command its own socket to the leaf's proxy, so that decisions have the command's id. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { OptionError } from "../../base/OptionError.ts"
import { CommandId } from "../../command/CommandId.ts"
import { type EgressProxyOptions, make } from "../../egress/EgressProxy.ts"

export interface CommandSocket {
  readonly path: string
  /** Closes it, and its connections. */
  readonly close: () => void
}

export interface CommandNetwork {
  readonly open: (commandId: string | undefined) => Promise<CommandSocket>
}

/** Makes the network, which ends with the scope. */
export const makeCommandNetwork = (
  options: EgressProxyOptions,
): Effect.Effect<CommandNetwork, OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const proxy = yield* make(options)
    const services = yield* Effect.context<never>()
    const leaf = yield* Effect.scope
    return {
      open: (commandId = CommandId.make()) =>
        Effect.runPromiseWith(services)(Effect.gen(function* () {
          const scope = yield* Scope.fork(leaf)
          const path = yield* Effect.onError(
            Scope.provide(proxy.listen(commandId), scope),
            (cause) => Scope.close(scope, Exit.failCause(cause)),
          )
          return { path, close: () => void Effect.runForkWith(services)(Scope.close(scope, Exit.void)) }
        })),
    }
  })
