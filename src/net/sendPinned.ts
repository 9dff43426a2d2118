/**
 * Sends one HTTP request to given addresses, because a second lookup of the name could give others.
 *
 * Uses the client of the runtime, which tries several addresses at once. `HttpExchange` is for the kernel's programs:
 * it preserves headers, streams bodies and distinguishes the causes of failures.
 */
import type { IncomingMessage, RequestOptions } from "node:http"
import type { NodeBuiltins } from "../base/nodeBuiltins.ts"
import { ByteBuffer } from "../base/ByteBuffer.ts"

export interface ReceivedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer>
}

export class BodyLimitError extends Error {
  override readonly name = "BodyLimitError"
}

interface PinnedRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  readonly addresses: ReadonlyArray<string>
  readonly maxBytes: number
}

/** Interim responses (1xx) that are read before the response. */
const maxInterim = 20

/** Headers of one connection, and cookies: these are credentials, which no journal has. */
const dropped = new Set(["connection", "keep-alive", "transfer-encoding", "set-cookie", "set-cookie2"])

const headersOf = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || dropped.has(name) ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]]
    ),
  )

const readBody = async (response: IncomingMessage, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> => {
  // A server may send each byte as a chunk of its own.
  const buffer = new ByteBuffer(maxBytes)
  for await (const piece of response) {
    if (!(piece instanceof Uint8Array) || buffer.push(piece)) continue
    throw new BodyLimitError(`the response is longer than ${maxBytes} bytes`)
  }
  // A connection that closes early ends the body of some runtimes without an error.
  if (!response.complete) throw new Error("the connection was closed before the response ended")
  return buffer.bytes
}

/** Sends a request, and reads the response. The connection is closed when the promise settles. */
export const sendPinned = (
  process: NodeBuiltins,
  { addresses, body, headers, maxBytes, method, url }: PinnedRequest,
  signal: AbortSignal,
): Promise<ReceivedResponse> =>
  new Promise((resolve, reject) => {
    const net = process.getBuiltinModule("node:net")
    const { request } = url.protocol === "https:"
      ? process.getBuiltinModule("node:https")
      : process.getBuiltinModule("node:http")
    const pinned = addresses.map((address) => ({ address, family: net.isIP(address) }))
    const lookup: NonNullable<RequestOptions["lookup"]> = (host, options, done) => {
      const [first] = pinned
      if (first === undefined) done(new Error(`${host} has no address`), "", 0)
      else if (options.all === true) done(null, pinned)
      else done(null, first.address, first.family)
    }
    const length = body === undefined ? undefined : { "content-length": String(body.length) }
    const sent = request(url, {
      method,
      headers: { "accept-encoding": "identity", "user-agent": "sluice", ...headers, ...length },
      // A new connection, because a kept one could lead to another address.
      agent: false,
      lookup,
    })
    const abort = (): void => {
      sent.destroy()
      reject(signal.reason)
    }
    const settle = (end: () => void): void => {
      signal.removeEventListener("abort", abort)
      sent.destroy()
      end()
    }
    signal.addEventListener("abort", abort)
    sent.on("error", (error) => settle(() => reject(error)))
    let interim = 0
    const onInterim = (): void => {
      if (++interim > maxInterim) settle(() => reject(new Error(`more than ${maxInterim} interim responses`)))
    }
    sent.on("continue", onInterim)
    sent.on("information", onInterim)
    sent.on("upgrade", () => settle(() => reject(new Error("the server changes to another protocol"))))
    sent.on("response", (response) => {
      readBody(response, maxBytes).then(
        (read) => settle(() => resolve({ status: response.statusCode ?? 0, headers: headersOf(response), body: read })),
        (error) => settle(() => reject(error)),
      )
    })
    if (signal.aborted) abort()
    else sent.end(body)
  })
