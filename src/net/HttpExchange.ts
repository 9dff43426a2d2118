/**
 * Sends one HTTP/1.1 request to addresses that were decided on, and streams the bodies of request and response.
 *
 * The clients of the runtimes are not used because they change names of headers, hide reasons of failures and buffer
 * differently.
 * Source: RFC 9112 (https://www.rfc-editor.org/rfc/rfc9112).
 */
import type * as NodeNet from "node:net"
import { encodeUtf8 } from "../base/bytes.ts"
import { errorMessage } from "../base/errorMessage.ts"
import type { NodeBuiltins } from "../base/nodeBuiltins.ts"
import { readErrorCode } from "../base/readErrorCode.ts"
import {
  type BodyFraming,
  framingOf,
  type HeadField,
  type MessageHead,
  parseChunkSize,
  printHead,
  readHead,
  readLine,
} from "./MessageHead.ts"
import { SocketStream } from "./SocketStream.ts"

/** Stage or fault at which an exchange failed. */
export type ExchangeFault =
  | "Connect"
  | "Tls"
  | "Certificate"
  | "NoResponse"
  | "Malformed"
  | "HeadersTooLong"
  | "Reset"
  | "Truncated"

export class ExchangeError extends Error {
  override readonly name = "ExchangeError"
  readonly fault: ExchangeFault
  /** The code of the system or of TLS, if it was theirs. */
  readonly code: string | undefined

  constructor(fault: ExchangeFault, message: string, cause?: unknown) {
    super(message)
    this.fault = fault
    this.code = readErrorCode(cause)
  }
}

/** The body of a request: its pieces, and the total number of bytes if that is known. */
export interface ExchangeBody {
  readonly length: number | undefined
  /** The next piece, `undefined` at the end. */
  readonly pull: () => Promise<Uint8Array | undefined>
}

export interface ExchangeRequest {
  readonly url: URL
  readonly method: string
  /** Headers without `Host` and those that frame the body. Values are bytes as ISO 8859-1. */
  readonly headers: ReadonlyArray<HeadField>
  readonly body: ExchangeBody | undefined
  readonly addresses: ReadonlyArray<string>
  /** Bytes of the head of the response. */
  readonly maxHeadBytes: number
  /** Called when a connection was made, with the address of the server. */
  readonly onConnect?: ((address: string) => void) | undefined
}

export interface ExchangeResponse {
  readonly version: string
  readonly status: number
  readonly statusText: string
  readonly headers: ReadonlyArray<HeadField>
  /** The next piece of the body, `undefined` at the end. One read at a time. */
  readonly read: () => Promise<Uint8Array | undefined>
  readonly close: () => void
}

/** Interim responses (1xx) that are read before the response. */
const maxInterim = 20

const isCertificateError = (error: unknown): boolean =>
  /CERT|SELF_SIGNED|SIGNATURE|ISSUER/.test(String(error instanceof Error && "code" in error && error.code)) ||
  /certificate|self.signed/i.test(errorMessage(error))

const connectTo = (
  process: NodeBuiltins,
  url: URL,
  address: string,
  signal: AbortSignal,
): Promise<NodeNet.Socket> =>
  new Promise((resolve, reject) => {
    const isTls = url.protocol === "https:"
    const net = process.getBuiltinModule("node:net")
    const host = url.hostname.replace(/^\[|\]$/g, "")
    const to = { host: address, port: Number(url.port) || (isTls ? 443 : 80) }
    // Only a name, because SNI has no addresses.
    const named = net.isIP(host) === 0 ? { servername: host } : {}
    const socket = isTls
      ? process.getBuiltinModule("node:tls").connect({ ...to, ...named, ALPNProtocols: ["http/1.1"] })
      : net.connect(to)
    let isConnected = false
    if (isTls) socket.once("connect", () => isConnected = true)
    const abort = (): void => {
      socket.destroy()
      reject(signal.reason)
    }
    const failed = (error: unknown): void => {
      signal.removeEventListener("abort", abort)
      const fault = isTls && isCertificateError(error) ? "Certificate" : isConnected ? "Tls" : "Connect"
      reject(new ExchangeError(fault, errorMessage(error), error))
    }
    signal.addEventListener("abort", abort)
    socket.once("error", failed)
    socket.once("close", () => failed(new Error("the connection was closed")))
    socket.once(isTls ? "secureConnect" : "connect", () => {
      signal.removeEventListener("abort", abort)
      socket.setNoDelay(true)
      resolve(socket)
    })
    if (signal.aborted) abort()
  })

/** Time for which an address is tried alone. Source: RFC 8305, section 5. */
const attemptDelayMillis = 250

type AttemptResult = { readonly socket: NodeNet.Socket } | { readonly cause: unknown }

interface Attempt {
  readonly address: string
  readonly result: Promise<AttemptResult>
}

/** Connects to the first address that answers; the next one is tried when one has failed, or is slow. Source: RFC 8305. */
const connect = async (
  process: NodeBuiltins,
  { addresses, onConnect, url }: ExchangeRequest,
  signal: AbortSignal,
): Promise<NodeNet.Socket> => {
  const others = new AbortController()
  const abort = (): void => others.abort(signal.reason)
  signal.addEventListener("abort", abort)
  const running = new Set<Attempt>()
  const rest = [...addresses]
  let failure: unknown = new ExchangeError("Connect", `${url.hostname} has no address`)
  try {
    while (rest.length > 0 || running.size > 0) {
      signal.throwIfAborted()
      const address = rest.shift()
      if (address !== undefined) {
        const result = connectTo(process, url, address, others.signal).then(
          (socket) => ({ socket }),
          (cause: unknown) => ({ cause }),
        )
        running.add({ address, result })
      }
      const ended = await firstEnded(running, rest.length > 0)
      if (ended === undefined) continue
      running.delete(ended.attempt)
      if ("socket" in ended.result) {
        onConnect?.(ended.attempt.address)
        return ended.result.socket
      }
      failure = ended.result.cause
      // Another address of the name has the same certificate to show.
      if (failure instanceof ExchangeError && failure.fault !== "Connect") break
    }
    signal.throwIfAborted()
    throw failure
  } finally {
    signal.removeEventListener("abort", abort)
    others.abort()
    for (const { result } of running) void result.then((late) => "socket" in late && late.socket.destroy())
  }
}

/** The attempt that ends first; `undefined` if it is time for the next one. */
const firstEnded = async (
  running: ReadonlySet<Attempt>,
  hasNext: boolean,
): Promise<{ readonly attempt: Attempt; readonly result: AttemptResult } | undefined> => {
  const attempts = Array.from(running, async (attempt) => ({ attempt, result: await attempt.result }))
  if (!hasNext) return await Promise.race(attempts)
  let timer: ReturnType<typeof setTimeout> | undefined
  const slow = new Promise<undefined>((resolve) => timer = setTimeout(resolve, attemptDelayMillis, undefined))
  try {
    return await Promise.race([...attempts, slow])
  } finally {
    clearTimeout(timer)
  }
}

const sendBody = async (stream: SocketStream, { length, pull }: ExchangeBody): Promise<void> => {
  let left = length ?? Infinity
  for (let piece = await pull(); piece !== undefined; piece = await pull()) {
    left -= piece.length
    if (left < 0) throw new ExchangeError("Truncated", "the body is longer than its Content-Length")
    if (piece.length === 0) continue
    if (length === undefined && !await stream.write(encodeUtf8(`${piece.length.toString(16)}\r\n`))) return
    if (!await stream.write(piece)) return
    if (length === undefined && !await stream.write(encodeUtf8("\r\n"))) return
  }
  if (length === undefined) await stream.write(encodeUtf8("0\r\n\r\n"))
  else if (left > 0) throw new ExchangeError("Truncated", `the body is ${left} bytes shorter than its Content-Length`)
}

/** Reads the head of the response, after those of interim responses. */
const readResponseHead = async (
  stream: SocketStream,
  maxHeadBytes: number,
  broken: (fault: ExchangeFault, message: string) => ExchangeError,
): Promise<MessageHead & { readonly status: number }> => {
  for (let count = 0; count <= maxInterim; count++) {
    const head = await readHead(stream, maxHeadBytes)
    if (head === undefined) throw broken("NoResponse", "the connection was closed before a response came")
    if (typeof head === "string") {
      throw new ExchangeError(head.includes("longer") ? "HeadersTooLong" : "Malformed", `the response: ${head}`)
    }
    const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(head.start)?.[1])
    if (!(status >= 100)) throw new ExchangeError("Malformed", "the response has no status line of HTTP/1.1")
    if (status === 101) throw new ExchangeError("Malformed", "the server changes to another protocol")
    if (status >= 200) return { ...head, status }
  }
  throw new ExchangeError("Malformed", `more than ${maxInterim} interim responses`)
}

/** Reads the pieces of a body, without its framing. */
async function* bodyOf(
  stream: SocketStream,
  framing: BodyFraming,
  broken: (fault: ExchangeFault, message: string) => ExchangeError,
): AsyncGenerator<Uint8Array, void> {
  if (framing._tag === "UntilEnd") {
    for (let piece = await stream.read(); piece !== undefined; piece = await stream.read()) yield piece
    const failure = broken("Truncated", "")
    if (failure.fault === "Reset") throw failure
    return
  }
  const isChunked = framing._tag === "Chunked"
  for (;;) {
    const length = framing._tag === "Chunked" ? parseChunkSize(await readLine(stream)) : framing.length
    if (length === undefined) throw broken("Truncated", "transfer closed with outstanding read data remaining")
    for (let left = length; left > 0;) {
      const piece = await stream.read()
      const missing = isChunked ? "outstanding read data remaining" : `${left} bytes remaining to read`
      if (piece === undefined) throw broken("Truncated", `transfer closed with ${missing}`)
      const part = piece.subarray(0, left)
      stream.unread(piece.subarray(part.length))
      left -= part.length
      yield part
    }
    // Trailers are not read: the connection ends with the response.
    if (!isChunked || length === 0) return
    if (await readLine(stream) !== "") throw broken("Truncated", "transfer closed with outstanding read data remaining")
  }
}

/**
 * Sends a request, and reads the head of the response. The connection is closed with the response, and by `signal`. Rejects
 * with an {@link ExchangeError}, the reason of the signal, or the failure of the request's body.
 */
export const openExchange = async (
  process: NodeBuiltins,
  request: ExchangeRequest,
  signal: AbortSignal,
): Promise<ExchangeResponse> => {
  const { body, method, url } = request
  const socket = await connect(process, request, signal)
  const stream = new SocketStream(socket)
  let socketError: unknown
  socket.on("error", (error) => socketError = error)
  let bodyFailure: { readonly cause: unknown } | undefined
  const close = (): void => {
    signal.removeEventListener("abort", close)
    socket.destroy()
  }
  signal.addEventListener("abort", close)
  const broken = (fault: ExchangeFault, message: string): ExchangeError =>
    socketError === undefined
      ? new ExchangeError(fault, message)
      : new ExchangeError("Reset", errorMessage(socketError), socketError)
  const guarded = async <A>(work: () => Promise<A>): Promise<A> => {
    try {
      if (signal.aborted) throw signal.reason
      return await work()
    } catch (cause) {
      close()
      throw signal.aborted ? signal.reason : bodyFailure === undefined ? cause : bodyFailure.cause
    }
  }
  return guarded(async () => {
    const framing: ReadonlyArray<HeadField> = body === undefined
      ? []
      : body.length === undefined
      ? [["Transfer-Encoding", "chunked"]]
      : [["Content-Length", String(body.length)]]
    const fields = [["Host", url.host] as const, ...request.headers, ...framing]
    await stream.write(printHead({ start: `${method} ${url.pathname}${url.search} HTTP/1.1`, fields }))
    // A server may answer before it has read the body, and then stop reading.
    if (body !== undefined) {
      sendBody(stream, body).catch((cause: unknown) => {
        bodyFailure = { cause }
        close()
      })
    }
    const { fields: headers, start, status } = await readResponseHead(stream, request.maxHeadBytes, broken)
    const hasNoBody = method === "HEAD" || status === 204 || status === 304
    const found = hasNoBody ? { _tag: "Length", length: 0 } as const : framingOf(headers, { _tag: "UntilEnd" })
    if (typeof found === "string") throw new ExchangeError("Malformed", `the response: ${found}`)
    const pieces = bodyOf(stream, found, broken)
    return {
      version: start.slice(0, 8),
      status,
      statusText: start.slice(13),
      headers,
      read: () =>
        guarded(async () => {
          const { done, value } = await pieces.next()
          if (done === true) close()
          return done === true ? undefined : value
        }),
      close,
    }
  })
}
