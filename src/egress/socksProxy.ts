/**
 * Answers one SOCKS5 request: CONNECT to a name or an address, without authentication.
 *
 * Source: RFC 1928 (https://www.rfc-editor.org/rfc/rfc1928).
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { connectTo, type EgressContext, type EgressTarget } from "./EgressRoutes.ts"
import type { EgressRefusal } from "./EgressRefusal.ts"
import { relay } from "./relay.ts"
import type { SocketStream } from "../net/SocketStream.ts"

/** The first byte of a connection. */
export const socksVersion = 5

const connectCommand = 1
const replies = { commandNotSupported: 7, addressNotSupported: 8 }

/** Writes a reply. The address to which the proxy is bound is of no use to a client, so 0.0.0.0:0 is sent. */
const reply = (client: SocketStream, code: number): Promise<boolean> =>
  client.write(Uint8Array.of(socksVersion, code, 0, 1, 0, 0, 0, 0, 0, 0))

/** Reads the address of a request as the text of a host; `undefined` for an unknown type. */
const readHost = async (client: SocketStream, type: number | undefined): Promise<string | undefined> => {
  switch (type) {
    case 1: {
      const bytes = await client.readExactly(4)
      return bytes?.join(".")
    }
    case 3: {
      const [length = 0] = await client.readExactly(1) ?? []
      const bytes = await client.readExactly(length)
      // Bytes that are not UTF-8 become a character that no host has.
      return bytes && new TextDecoder().decode(bytes)
    }
    case 4: {
      const bytes = await client.readExactly(16)
      const words = Array.from({ length: 8 }, (_, at) => (bytes?.[2 * at] ?? 0) * 256 + (bytes?.[2 * at + 1] ?? 0))
      return bytes && `[${words.map((word) => word.toString(16)).join(":")}]`
    }
    default:
      return undefined
  }
}

/**
 * Reads the greeting and the request. A number is the reply to a request that is not served; `undefined` if no reply is
 * due.
 */
const readRequest = async (client: SocketStream): Promise<EgressTarget | number | undefined> => {
  const [, count = 0] = await client.readExactly(2) ?? []
  const methods = await client.readExactly(count)
  if (methods === undefined) return undefined
  const isOpen = methods.includes(0)
  await client.write(Uint8Array.of(socksVersion, isOpen ? 0 : 255))
  const [version, command, , type] = isOpen ? await client.readExactly(4) ?? [] : []
  if (version !== socksVersion) return undefined
  if (command !== connectCommand) return replies.commandNotSupported
  const host = await readHost(client, type)
  const port = await client.readExactly(2)
  if (host === undefined || port === undefined) return replies.addressNotSupported
  return { protocol: "socks5", host, port: (port[0] ?? 0) * 256 + (port[1] ?? 0) }
}

export const serveSocks = (
  context: EgressContext,
  client: SocketStream,
): Effect.Effect<void, EgressRefusal, Scope.Scope> =>
  Effect.gen(function* () {
    const request = yield* Effect.timeoutOrElse(Effect.promise(() => readRequest(client)), {
      duration: context.headTimeoutMillis,
      orElse: () => Effect.undefined,
    })
    if (request === undefined) return
    if (typeof request === "number") return void (yield* Effect.promise(() => reply(client, request)))
    const route = yield* Effect.tapError(
      connectTo(context, request),
      ({ answer }) => Effect.promise(() => reply(client, answer.reply)),
    )
    yield* Effect.promise(() => reply(client, 0))
    yield* relay(context, client, route)
  })
