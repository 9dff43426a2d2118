/** Fetches a URL for a WASI program: follows redirects, and holds the bodies whole. */
import { concatBytes, encodeUtf8 } from "../../base/bytes.ts"
import { redirectOf } from "../../net/redirectOf.ts"
import type { KernelClock } from "../process/KernelClock.ts"
import { maxHeldBodyBytes, type Network, type OpenResponse } from "./Network.ts"
import { NetworkError } from "./NetworkError.ts"
import type { CompiledPolicy } from "./NetworkPolicy.ts"

const maxRedirects = 20

/** Headers that are dropped when a redirect leads to another origin. Source: Fetch, "HTTP-redirect fetch". */
const originHeaders = ["authorization", "cookie", "proxy-authorization"]

export interface FetchResponse {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: Uint8Array<ArrayBuffer>
}

export interface FetchRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

const readWhole = async ({ read }: OpenResponse, limit: number): Promise<Uint8Array<ArrayBuffer>> => {
  const pieces: Array<Uint8Array> = []
  let length = 0
  for (let piece = await read(); piece !== undefined; piece = await read()) {
    length += piece.length
    if (length > limit) throw new NetworkError("TooLong", `the response is longer than ${limit} bytes`)
    pieces.push(piece)
  }
  return concatBytes(pieces, length)
}

const follow = async (
  network: Network,
  init: FetchRequest,
  limit: number,
  signal: AbortSignal,
): Promise<FetchResponse> => {
  if (!URL.canParse(init.url)) throw new NetworkError("InvalidRequest", "this is not a URL")
  const body = init.body === undefined ? undefined : encodeUtf8(init.body)
  if (body !== undefined && body.length > limit) {
    throw new NetworkError("TooLong", `the body is longer than ${limit} bytes`)
  }
  let headers = Object.entries(init.headers)
  let asked: Parameters<typeof redirectOf>[0] = { url: new URL(init.url), method: init.method, body }
  for (let count = 0; count <= maxRedirects; count++) {
    const { body, method, url } = asked
    const pieces = body === undefined ? [] : [body]
    const sent = body && { length: body.length, pull: () => Promise.resolve(pieces.shift()) }
    const response = await network.open({ url: url.href, method, headers, body: sent, timeoutMillis: Infinity }, signal)
    try {
      const { headers: fields, status } = response
      const lower = Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]))
      const next = redirectOf(asked, { status, headers: lower })
      if (next === undefined) return { status, headers: fields, body: await readWhole(response, limit) }
      const dropped = [
        ...(next.url.origin === url.origin ? [] : originHeaders),
        ...(next.method === method ? [] : ["content-type"]),
      ]
      headers = headers.filter(([name]) => !dropped.includes(name.toLowerCase()))
      asked = next
    } finally {
      response.close()
    }
  }
  throw new NetworkError("NotAllowed", `more than ${maxRedirects} redirects`)
}

/** Rejects if the policy refuses a request, or if one fails. */
export const fetchWhole = async (
  network: Network,
  { maxBodyBytes = maxHeldBodyBytes, timeoutMillis }: CompiledPolicy,
  clock: KernelClock,
  request: FetchRequest,
  ended: AbortSignal,
): Promise<FetchResponse> => {
  const late = new AbortController()
  const stop = clock.after(
    timeoutMillis,
    () => late.abort(new NetworkError("Timeout", `no response within ${timeoutMillis} ms`)),
  )
  try {
    return await follow(network, request, maxBodyBytes, AbortSignal.any([ended, late.signal]))
  } finally {
    stop()
  }
}
