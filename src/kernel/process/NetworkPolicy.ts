/**
 * Fetches URLs for programs, from the origins that a policy allows.
 *
 * @module
 */

import { concatBytes, encodeUtf8 } from "../../base/bytes.ts"
import type { KernelClock } from "./KernelClock.ts"

/**
 * The origins that programs may fetch from.
 *
 * @stability stable
 */
export interface NetworkPolicy {
  /** Allowed origins: `https://example.org`, `http://localhost:8080`. */
  readonly origins: Iterable<string>
  /** Sends the requests. Default: the host's `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Bytes of a request's or a response's body at most. Default: 16,777,216. */
  readonly maxBodyBytes?: number | undefined
  /** Milliseconds until the response must be complete. Default: 30,000. */
  readonly timeoutMillis?: number | undefined
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const maxRedirects = 20

/** Headers that are dropped when a redirect leads to another origin. Source: Fetch, "HTTP-redirect fetch". */
const originHeaders = ["authorization", "cookie", "proxy-authorization"]

const networkError = (message: string): Error => new Error(`network: ${message}`)

/** The response for a program. */
export interface FetchResponse {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: Uint8Array<ArrayBuffer>
}

/** The request of a program. */
export interface FetchRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** Reads a body that may not be longer than a limit. */
const bodyOf = async (response: Response, limit: number): Promise<Uint8Array<ArrayBuffer>> => {
  const pieces: Array<Uint8Array> = []
  let length = 0
  for await (const piece of response.body ?? []) {
    length += piece.length
    if (length > limit) throw networkError(`the response is longer than ${limit} bytes`)
    pieces.push(piece)
  }
  return concatBytes(pieces, length)
}

/** Fetches from allowed origins. Requests to other origins fail, also as the target of a redirect. */
export class Network {
  readonly #origins: ReadonlySet<string>
  readonly #policy: NetworkPolicy
  readonly #clock: KernelClock

  constructor(policy: NetworkPolicy, clock: KernelClock) {
    this.#policy = policy
    this.#clock = clock
    this.#origins = new Set([...policy.origins].map((origin) => new URL(origin).origin))
  }

  /** Sends a request. Rejects if the policy refuses it or it fails. */
  async fetch(url: string, request: FetchRequest, ended: AbortSignal): Promise<FetchResponse> {
    const { timeoutMillis: timeout = 30_000 } = this.#policy
    const late = new AbortController()
    const stop = this.#clock.after(timeout, () => late.abort(networkError(`no response within ${timeout} ms`)))
    try {
      return await this.#follow(url, request, AbortSignal.any([ended, late.signal]))
    } finally {
      stop()
    }
  }

  async #follow(url: string, init: FetchRequest, signal: AbortSignal): Promise<FetchResponse> {
    const { maxBodyBytes: bodyBytes = 16_777_216, fetch: send = (request) => fetch(request) } = this.#policy
    let body = init.body === undefined ? undefined : encodeUtf8(init.body)
    if (body !== undefined && body.length > bodyBytes) throw networkError(`the body is longer than ${bodyBytes} bytes`)
    let { method } = init
    let from = this.#allowed(url)
    const headers = new Headers(init.headers)
    for (let count = 0; count <= maxRedirects; count++) {
      const request = new Request(from, { method, headers, redirect: "manual", signal, ...body && { body } })
      const response = await send(request)
      const location = redirects.has(response.status) ? response.headers.get("location") : null
      if (location === null) {
        return { status: response.status, headers: [...response.headers], body: await bodyOf(response, bodyBytes) }
      }
      await response.body?.cancel()
      const to = this.#allowed(new URL(location, from).href)
      if (to.origin !== from.origin) { for (const name of originHeaders) headers.delete(name) }
      if (response.status === 303 || (response.status <= 302 && method === "POST")) {
        if (method !== "HEAD") method = "GET"
        body = undefined
        headers.delete("content-type")
      }
      from = to
    }
    throw networkError(`more than ${maxRedirects} redirects`)
  }

  #allowed(text: string): URL {
    const url = new URL(text)
    if (!/^https?:$/.test(url.protocol) || !this.#origins.has(url.origin)) {
      throw networkError(`${url.origin} is not allowed`)
    }
    return url
  }
}
