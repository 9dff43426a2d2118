/**
 * Answers one HTTP/1.1 request to a proxy.
 *
 * Source: RFC 9110, sections 7.6 and 9.3.6; RFC 9112, sections 3.2 and 6.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { connectTo, type EgressContext, type EgressRoute, type EgressTarget } from "./EgressRoutes.ts"
import type { EgressRefusal } from "./EgressRefusal.ts"
import { hostAndPort } from "./canonicalHost.ts"
import { forwardBody } from "./forwardBody.ts"
import {
  type BodyFraming,
  endToEnd,
  framingFields,
  framingOf,
  type MessageHead,
  printHead,
  readHead,
  toLatinBytes,
} from "../net/MessageHead.ts"
import { idle, relay } from "./relay.ts"
import type { SocketStream } from "../net/SocketStream.ts"

/**
 * Maximum bytes of a refused request that are read and dropped, and the time for it: closing earlier could discard the
 * answer.
 */
const maxDropped = 1_048_576
const dropTime = "2 seconds"

/** Answers with a status and a text, and continues to read until the client ends. */
const answer = async (client: SocketStream, status: string, message: string): Promise<void> => {
  const body = `sluice: ${message}\n`
  const head = [
    // For a failed tunnel, clients show the reason phrase, if anything, but not the body.
    `HTTP/1.1 ${status.slice(0, 3)} ${/^[\x20-\x7e]{1,200}$/.test(message) ? `sluice: ${message}` : status.slice(4)}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${new TextEncoder().encode(body).length}`,
    "Connection: close",
    "Proxy-Status: sluice",
  ]
  await client.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n${body}`))
  await client.end()
  for (let dropped = 0; dropped < maxDropped;) {
    const piece = await client.read()
    if (piece === undefined) return
    dropped += piece.length
  }
}

export const answerAndClose = (client: SocketStream, status: string, message: string): Effect.Effect<void> =>
  Effect.asVoid(Effect.timeoutOption(Effect.promise(() => answer(client, status, message)), dropTime))

interface ProxyRequest extends EgressTarget {
  readonly method: string
  readonly path: string
  readonly version: string
}

/** Parses a start line; returns a text if it is not a request to a proxy. */
const parseStart = (start: string): ProxyRequest | string => {
  const [, method = "", target = "", version = ""] =
    /^([A-Za-z][\w-]{0,31}) ([\x21-\x7e]+) HTTP\/(1\.[01])$/.exec(start) ??
      []
  if (method === "") return "this is not an HTTP/1.1 request"
  if (method === "CONNECT") {
    const [, host, port] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(target) ?? []
    return host === undefined || !(Number(port) >= 1 && Number(port) <= 65_535)
      ? "CONNECT takes HOST:PORT"
      : { protocol: "connect", method, version, host, port: Number(port), path: "" }
  }
  const [, authority, path = ""] = /^http:\/\/([^/?#]*)([/?][^#]*)?$/i.exec(target) ?? []
  if (authority === undefined) return "this is a proxy: it takes CONNECT, and URLs that begin with http://"
  if (authority.includes("@")) return "the URL has a user; send an Authorization header"
  const [, host, port = "80"] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(authority) ?? []
  if (host === undefined || !(Number(port) >= 1 && Number(port) <= 65_535)) return "the URL has no valid host and port"
  return { protocol: "http", method, version, host, port: Number(port), path: path.startsWith("/") ? path : `/${path}` }
}

/** Forwards the heads of interim responses and of the response, then its body; returns a text if it cannot. */
const forwardResponse = async (
  { maxHeadBytes }: EgressContext,
  method: string,
  server: SocketStream,
  client: SocketStream,
): Promise<string | undefined> => {
  for (let interim = 0; interim < 20; interim++) {
    const head = await readHead(server, maxHeadBytes)
    if (head === undefined) return "the server ended without a response"
    if (typeof head === "string") return `the response of the server cannot be read: ${head}`
    const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(head.start)?.[1])
    if (!(status >= 100) || status === 101) return "the response of the server cannot be read: its status line"
    const isInterim = status < 200
    const hasNoBody = isInterim || status === 204 || status === 304 || method === "HEAD"
    const framing = framingOf(head.fields, { _tag: "UntilEnd" })
    if (typeof framing === "string") return `the response of the server cannot be read: ${framing}`
    const fields = [...endToEnd(head.fields), ...isInterim ? [] : framingFields(framing)]
    const closing = isInterim ? fields : [...fields, ["Connection", "close"] as const]
    if (!await client.write(printHead({ start: head.start, fields: closing }))) return undefined
    if (isInterim) continue
    if (hasNoBody || await forwardBody(server, client, framing)) await client.end()
    return undefined
  }
  return "the server sends too many interim responses"
}

const forward = (
  context: EgressContext,
  client: SocketStream,
  { host, method, path, port, version }: ProxyRequest,
  fields: MessageHead["fields"],
  framing: BodyFraming,
  server: SocketStream,
): Effect.Effect<void> => {
  const authority = port === 80 ? hostAndPort(host, port).slice(0, -3) : hostAndPort(host, port)
  const head = printHead({
    start: `${method} ${path} HTTP/${version}`,
    fields: [
      // The host of the URL; the request's own Host header may differ and is ignored (RFC 9112, section 3.2.2).
      ["Host", authority],
      ...endToEnd(fields).filter(([name]) => name.toLowerCase() !== "host"),
      ...framing._tag === "Length" && framing.length === 0 ? [] : framingFields(framing),
      ["Connection", "close"],
    ],
  })
  const exchange = async (): Promise<void> => {
    if (!await server.write(head)) return answer(client, "502 Bad Gateway", "the server accepts no requests")
    // A response may come before the body has been sent.
    void forwardBody(client, server, framing).then((isWhole) => {
      // The server must not mistake a part for the whole body.
      if (!isWhole) server.destroy()
    })
    const problem = await forwardResponse(context, method, server, client)
    if (problem !== undefined) await answer(client, "502 Bad Gateway", problem)
  }
  return Effect.raceFirst(Effect.promise(exchange), idle(context, client, server))
}

export const serveHttp = (
  context: EgressContext,
  client: SocketStream,
): Effect.Effect<void, EgressRefusal, Scope.Scope> =>
  Effect.gen(function* () {
    const bad = (message: string) => answerAndClose(client, "400 Bad Request", message)
    const head = yield* Effect.timeoutOrElse(Effect.promise(() => readHead(client, context.maxHeadBytes)), {
      duration: context.headTimeoutMillis,
      orElse: () => Effect.succeed("the request did not come in time"),
    })
    if (head === undefined) return
    if (typeof head === "string") return yield* bad(head)
    const request = parseStart(head.start)
    if (typeof request === "string") return yield* bad(request)
    const framing = framingOf(head.fields, { _tag: "Length", length: 0 })
    if (typeof framing === "string") return yield* bad(`the request is ambiguous: ${framing}`)
    const refused = ({ answer, message }: EgressRefusal) =>
      Effect.as(answerAndClose(client, answer.status, message), undefined)
    const route: EgressRoute | undefined = yield* Effect.catch(connectTo(context, request), refused)
    if (route === undefined) return
    if (request.protocol !== "connect") {
      return yield* forward(context, client, { ...request, host: route.host }, head.fields, framing, route.server)
    }
    yield* Effect.promise(() => client.write(toLatinBytes("HTTP/1.1 200 Connection established\r\n\r\n")))
    yield* relay(context, client, route)
  })
