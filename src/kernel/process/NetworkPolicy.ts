/** Declares the network policy of a kernel, and fetches URLs for WASM programs from the origins it allows. */
import { type DurationInput, millisOf } from "../../base/duration.ts"
import { OptionError, refuseUnknownOptions, requireCount, showValue } from "../../base/OptionError.ts"
import { concatBytes, encodeUtf8 } from "../../base/bytes.ts"
import type { KernelClock } from "./KernelClock.ts"

/** The origins that programs may fetch from. */
export interface NetworkPolicy {
  /** Allowed origins: `https://example.org`, `http://localhost:8080`. */
  readonly origins: Iterable<string>
  /** Sends the requests. Default: the host's `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Bytes of a request's or a response's body. Default: 16,777,216. */
  readonly maxBodyBytes?: number | undefined
  /** Time until the response must be complete. Default: 30 s. */
  readonly timeout?: DurationInput | undefined
}

const policyNames: Readonly<Record<keyof NetworkPolicy, true>> = {
  fetch: true,
  maxBodyBytes: true,
  origins: true,
  timeout: true,
}

const originOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url.origin
  const option = "network.origins"
  throw new OptionError(option, `Kernel: ${option}: ${showValue(text)} is not an origin such as https://example.org`)
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const maxRedirects = 20

/** Headers that are dropped when a redirect leads to another origin. Source: Fetch, "HTTP-redirect fetch". */
const originHeaders = ["authorization", "cookie", "proxy-authorization"]

const networkError = (message: string): Error => new Error(`network: ${message}`)

export interface FetchResponse {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: Uint8Array<ArrayBuffer>
}

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
  readonly #send: (request: Request) => Promise<Response>
  readonly #maxBodyBytes: number
  readonly #timeoutMillis: number
  readonly #clock: KernelClock

  /** Throws an `OptionError` for a part of the policy that is unknown or has an invalid value. */
  constructor(policy: NetworkPolicy, clock: KernelClock) {
    refuseUnknownOptions("Kernel: network", policy, policyNames)
    this.#send = policy.fetch ?? ((request) => fetch(request))
    this.#maxBodyBytes = requireCount("Kernel", "network.maxBodyBytes", policy.maxBodyBytes ?? 16_777_216, 0)
    this.#timeoutMillis = millisOf("network.timeout", policy.timeout ?? 30_000)
    this.#clock = clock
    this.#origins = new Set(Array.from(policy.origins, originOf))
  }

  /** Sends a request. Rejects if the policy refuses it or it fails. */
  async fetch(url: string, request: FetchRequest, ended: AbortSignal): Promise<FetchResponse> {
    const timeoutMillis = this.#timeoutMillis
    const late = new AbortController()
    const stop = this.#clock.after(
      timeoutMillis,
      () => late.abort(networkError(`no response within ${timeoutMillis} ms`)),
    )
    try {
      return await this.#follow(url, request, AbortSignal.any([ended, late.signal]))
    } finally {
      stop()
    }
  }

  async #follow(url: string, init: FetchRequest, signal: AbortSignal): Promise<FetchResponse> {
    const maxBodyBytes = this.#maxBodyBytes
    let body = init.body === undefined ? undefined : encodeUtf8(init.body)
    if (body !== undefined && body.length > maxBodyBytes) {
      throw networkError(`the body is longer than ${maxBodyBytes} bytes`)
    }
    let { method } = init
    let from = this.#allowed(url)
    const headers = new Headers(init.headers)
    for (let count = 0; count <= maxRedirects; count++) {
      const request = new Request(from, { method, headers, redirect: "manual", signal, ...body && { body } })
      const response = await this.#send(request)
      const location = redirects.has(response.status) ? response.headers.get("location") : null
      if (location === null) {
        return { status: response.status, headers: [...response.headers], body: await bodyOf(response, maxBodyBytes) }
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
