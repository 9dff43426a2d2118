/** Finds the host that a service needs; a missing host is a defect. */
import * as Effect from "effect/Effect"
import type { Host } from "./Host.ts"

/**
 * Finds a host. A missing host is a defect, because no layer can provide one.
 *
 * @param service What the service is called in the message, such as `"leaf"`.
 * @param runtime What it needs, such as `"Deno"`.
 */
export const requireHost = (
  service: string,
  runtime: string,
  findHost: () => Host | undefined,
): Effect.Effect<Host> =>
  Effect.suspend(() => {
    const host = findHost()
    return host === undefined
      ? Effect.die(
        new Error(`this ${service} needs ${runtime}: no process can be started here; use another ${service}`),
      )
      : Effect.succeed(host)
  })
