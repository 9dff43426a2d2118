/**
 * A layer of a service over a host that is looked for when the layer is built.
 *
 * @module
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Host } from "./Host.ts"

/** Builds the service; a defect when this is not the runtime that was asked for: no layer can mend that. */
export const serviceOfHost = <Id, Service>(
  service: Context.Key<Id, Service>,
  /** What the service is called, such as `"leaf"`. */
  name: string,
  runtime: string,
  host: () => Host | undefined,
  make: (host: Host) => Effect.Effect<Service, never, Scope.Scope>,
): Layer.Layer<Id> =>
  Layer.effect(
    service,
    Effect.suspend(() => {
      const found = host()
      return found === undefined
        ? Effect.die(new Error(`This ${name} needs ${runtime}: here no process can be started. Use another ${name}.`))
        : make(found)
    }),
  )
