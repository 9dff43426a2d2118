/** Relays bytes between two sockets in both directions, each at the pace of its reader, until both have ended. */
import * as Effect from "effect/Effect"
import { quote } from "../base/quote.ts"
import { canonicalHost, isAddress } from "./canonicalHost.ts"
import { parseFirstBytes } from "./parseFirstBytes.ts"
import { type EgressContext, type EgressRoute, refuse } from "./EgressRoutes.ts"
import type { EgressRefusal } from "./EgressRefusal.ts"
import { forwardBody } from "./forwardBody.ts"
import type { SocketStream } from "../net/SocketStream.ts"

/** A fatal alert of TLS: unrecognized_name (RFC 6066, section 3). */
const unrecognizedName = Uint8Array.of(21, 3, 1, 0, 2, 2, 112)

/** Completes when neither of two sockets has read or written a byte for a time. */
export const idle = (
  { idleTimeoutMillis }: EgressContext,
  client: SocketStream,
  server: SocketStream,
): Effect.Effect<void> =>
  Effect.suspend(() => {
    let before = -1
    const check = Effect.sync(() => {
      const now = client.transfers + server.transfers
      const isIdle = now === before
      before = now
      return isIdle
    })
    return Effect.asVoid(
      Effect.repeat(Effect.delay(check, idleTimeoutMillis), { until: (isIdle) => isIdle }),
    )
  })

const pump = async (from: SocketStream, to: SocketStream): Promise<void> => {
  await forwardBody(from, to, { _tag: "UntilEnd" })
  await to.end()
}

/** Reads the start of a client's data; returns a text if the data may not be sent to the named server. */
const checkServerName = async (client: SocketStream, host: string): Promise<string | undefined> => {
  for (let length = 1;;) {
    const bytes = await client.peek(length)
    // The connection ended before, so nothing is sent.
    if (bytes === undefined) return undefined
    const first = parseFirstBytes(bytes)
    switch (first._tag) {
      case "Incomplete":
        length = first.length
        continue
      case "Other":
        return undefined
      case "Malformed":
        return `a TLS connection to ${host} does not begin with a ClientHello that can be read`
      case "ClientHello": {
        const { serverName } = first
        if (serverName === undefined || canonicalHost(serverName) === host) return undefined
        return `a TLS connection to ${host} asks for ${quote(serverName)}`
      }
    }
  }
}

/**
 * Relays until both directions have ended, or no byte has moved for a time. A TLS connection to a name is ended if it
 * asks for another server (SNI). An address has no name to compare with.
 */
export const relay = (
  context: EgressContext,
  client: SocketStream,
  route: EgressRoute,
): Effect.Effect<void, EgressRefusal> =>
  Effect.gen(function* () {
    const { host, server } = route
    // Servers of some protocols speak first.
    const toClient = pump(server, client)
    const toServer = Effect.gen(function* () {
      const problem = isAddress(host) ? undefined : yield* Effect.promise(() => checkServerName(client, host))
      if (problem !== undefined) {
        yield* Effect.promise(() => client.write(unrecognizedName))
        yield* Effect.promise(() => client.end())
        return yield* refuse(context, route, "ServerName", problem)
      }
      yield* Effect.promise(() => pump(client, server))
    })
    yield* Effect.raceFirst(
      Effect.andThen(toServer, Effect.promise(() => toClient)),
      idle(context, client, server),
    )
  })
