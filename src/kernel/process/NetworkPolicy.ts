/**
 * Which hosts of the network programs may ask.
 *
 * @module
 */

import { concatBytes } from "../../base/bytes.ts"
import type { KernelClock } from "./KernelClock.ts"

/** Nothing is allowed but what is listed. */
export interface NetworkPolicy {
  /** Origins (`https://example.org`, `http://localhost:8080`). Default: none. */
  readonly origins: Iterable<string>
  /** Asks. Default: the host's `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Bytes of a body at most, either way. Default: 16,777,216. */
  readonly maxBodyBytes?: number | undefined
  /** Milliseconds until an answer must be there. Default: 30,000. */
  readonly timeoutMillis?: number | undefined
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const mostRedirects = 20

/** Headers that belong to one origin. Source: Fetch, "HTTP-redirect fetch". */
const personal = ["authorization", "cookie", "proxy-authorization"]

const refused = (what: string): Error => new Error(`network: ${what}`)

/** What a program is told. */
export interface FetchResponse {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: Uint8Array<ArrayBuffer>
}

/** What a program asks with. */
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
    if (length > limit) throw refused(`the answer is longer than ${limit} bytes`)
    pieces.push(piece)
  }
  return concatBytes(pieces, length)
}

/** Every request, and every one that a redirect leads to, goes to an origin of the list, or fails. */
export class Network {
  readonly #origins: ReadonlySet<string>
  readonly #policy: NetworkPolicy
  readonly #clock: KernelClock

  constructor(policy: NetworkPolicy, clock: KernelClock) {
    this.#policy = policy
    this.#clock = clock
    this.#origins = new Set([...policy.origins].map((origin) => new URL(origin).origin))
  }

  /** Rejected when it is refused, or fails. */
  async fetch(url: string, asked: FetchRequest, ended: AbortSignal): Promise<FetchResponse> {
    const { timeoutMillis: timeout = 30_000 } = this.#policy
    const late = new AbortController()
    const stop = this.#clock.after(timeout, () => late.abort(refused(`no answer within ${timeout} ms`)))
    try {
      return await this.#follow(url, asked, AbortSignal.any([ended, late.signal]))
    } finally {
      stop()
    }
  }

  async #follow(url: string, init: FetchRequest, signal: AbortSignal): Promise<FetchResponse> {
    const { maxBodyBytes: bodyBytes = 16_777_216, fetch: ask = (request) => fetch(request) } = this.#policy
    let body = init.body === undefined ? undefined : new TextEncoder().encode(init.body)
    if (body !== undefined && body.length > bodyBytes) throw refused(`the body is longer than ${bodyBytes} bytes`)
    let { method } = init
    let from = this.#allowed(url)
    const headers = new Headers(init.headers)
    for (let count = 0; count <= mostRedirects; count++) {
      const request = new Request(from, { method, headers, redirect: "manual", signal, ...body && { body } })
      const response = await ask(request)
      const location = redirects.has(response.status) ? response.headers.get("location") : null
      if (location === null) {
        return { status: response.status, headers: [...response.headers], body: await bodyOf(response, bodyBytes) }
      }
      await response.body?.cancel()
      const to = this.#allowed(new URL(location, from).href)
      if (to.origin !== from.origin) { for (const name of personal) headers.delete(name) }
      if (response.status === 303 || (response.status <= 302 && method === "POST")) {
        if (method !== "HEAD") method = "GET"
        body = undefined
        headers.delete("content-type")
      }
      from = to
    }
    throw refused(`more than ${mostRedirects} redirects`)
  }

  #allowed(text: string): URL {
    const url = new URL(text)
    if (!/^https?:$/.test(url.protocol) || !this.#origins.has(url.origin)) throw refused(`${url.origin} is not allowed`)
    return url
  }
}
