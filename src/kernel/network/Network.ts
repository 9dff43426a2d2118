/**
 * Sends the HTTP requests of a kernel's processes that its network policy allows; the policy decides about each request
 * and redirect.
 */
import { errorMessage } from "../../base/errorMessage.ts"
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import { ExchangeError, type ExchangeResponse, openExchange } from "../../net/HttpExchange.ts"
import { makePrivateAddressCheck, makePublicAddressCheck } from "../../net/publicAddress.ts"
import { binaryToText, textToBinary } from "../binaryString.ts"
import type { KernelClock } from "../process/KernelClock.ts"
import { isWorkerd } from "../process/isWorkerd.ts"
import { fetchExchange } from "./fetchExchange.ts"
import type { HttpRequest } from "./HttpCall.ts"
import { NetworkError } from "./NetworkError.ts"
import {
  type CompiledPolicy,
  type CompiledRule,
  findRule,
  isHeaderValue,
  isToken,
  type NetworkDecision,
  type NetworkPolicy,
} from "./NetworkPolicy.ts"

/** Bytes of a body that is held whole. */
export const maxHeldBodyBytes: number = 16_777_216

/** Headers that the kernel sends itself, because they determine the server or the end of a message. */
const refusedHeader = /^(host|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/

/** Headers with which some servers override the method or the path. */
const methodHeader = /^x-(http-)?method(-override)?$/
const pathHeader = /^x-(original|rewrite|forwarded|override|proxy|request|envoy-original)-(url|uri|path|prefix)$/

/** The name under which headers are compared: servers with CGI variables read `_` and `-` as one. */
const comparedName = (name: string): string => name.toLowerCase().replaceAll("_", "-")

export interface OpenResponse extends ExchangeResponse {
  readonly address: string | undefined
  readonly connectMillis: number | undefined
  readonly isDecoded: boolean
}

interface Decision {
  readonly url: URL
  readonly rule: CompiledRule
  /** `undefined` where the host's `fetch` looks them up. */
  readonly addresses: ReadonlyArray<string> | undefined
}

const isLoopback = (address: string): boolean => address === "::1" || address.startsWith("127.")

const lookUp = async (host: string): Promise<ReadonlyArray<string>> => {
  const found = await nodeBuiltins()?.getBuiltinModule("node:dns/promises").lookup(host, { all: true })
  return found?.map(({ address }) => address) ?? []
}

/** Rejects with the signal's reason as soon as it is aborted. */
const untilAborted = async <A>(promise: Promise<A>, signal: AbortSignal): Promise<A> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener("abort", abort)
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener("abort", abort)
  }
}

const checkHeaders = (request: HttpRequest, rule: CompiledRule, maxBytes: number): void => {
  let bytes = request.url.length
  for (const [name, value] of request.headers) {
    bytes += name.length + value.length + 4
    if (bytes > maxBytes) throw new NetworkError("InvalidRequest", `the headers are longer than ${maxBytes} bytes`)
    if (!isToken(name) || !isHeaderValue(value)) {
      throw new NetworkError("InvalidRequest", `the header ${JSON.stringify(name)} has characters that cannot be sent`)
    }
    const compared = comparedName(name)
    const isClosing = compared === "connection" && !/^(close|keep-alive)$/i.test(value)
    if (isClosing || refusedHeader.test(compared)) {
      throw new NetworkError("NotAllowed", `the header ${name} is set by the kernel`)
    }
    const about = rule.hasMethods && methodHeader.test(compared)
      ? "methods"
      : rule.hasPaths && pathHeader.test(compared)
      ? "paths"
      : undefined
    if (about !== undefined) {
      const message = `the header ${name} is not allowed for ${rule.origin}, which has rules about ${about}`
      throw new NetworkError("NotAllowed", message)
    }
  }
}

export class Network {
  readonly #policy: NetworkPolicy
  readonly #compiled: CompiledPolicy
  readonly #clock: KernelClock
  readonly #fetch: ((request: Request) => Promise<Response>) | undefined
  #open = 0

  constructor(policy: NetworkPolicy, compiled: CompiledPolicy, clock: KernelClock) {
    this.#policy = policy
    this.#compiled = compiled
    this.#clock = clock
    const hasSockets = !isWorkerd && nodeBuiltins() !== undefined
    this.#fetch = policy.fetch ?? (hasSockets ? undefined : (request) => fetch(request))
  }

  /** Sends a request, and follows no redirect. Rejects with a `NetworkError`, or the reason of the signal. */
  async open(request: HttpRequest, ended: AbortSignal): Promise<OpenResponse> {
    const { maxBodyBytes = Infinity, maxRequests, timeoutMillis } = this.#compiled
    if (this.#open >= maxRequests) throw new NetworkError("Busy", `more than ${maxRequests} requests at a time`)
    this.#open++
    let isOpen = true
    const late = new AbortController()
    const after = (millis: number, reason: "Timeout" | "ConnectTimeout"): () => void =>
      this.#clock.after(millis, () => late.abort(new NetworkError(reason, `no response within ${millis} ms`)))
    const stops = [after(Math.min(request.timeoutMillis ?? Infinity, timeoutMillis), "Timeout")]
    const stopConnecting = after(request.connectTimeoutMillis ?? Infinity, "ConnectTimeout")
    stops.push(stopConnecting)
    const finish = (): void => {
      if (isOpen) this.#open--
      isOpen = false
      for (const stop of stops) stop()
    }
    const signal = AbortSignal.any([ended, late.signal])
    try {
      let address: string | undefined
      let connectMillis: number | undefined
      const started = this.#clock.monotonic()
      const onConnect = (found: string): void => {
        address = found
        connectMillis = Number(this.#clock.monotonic() - started) / 1e6
        stopConnecting()
      }
      // Not when the connection is closed: the next request may come before that.
      const response = await untilAborted(this.#send(request, signal, onConnect), signal)
      for (const stop of stops) stop()
      let read = 0
      return {
        ...response,
        address,
        connectMillis,
        isDecoded: this.#fetch !== undefined,
        close: () => {
          finish()
          response.close()
        },
        read: async () => {
          const piece = await this.#wrap(() => response.read(), signal)
          read += piece?.length ?? 0
          if (read > maxBodyBytes) {
            throw new NetworkError("TooLong", `the response is longer than ${maxBodyBytes} bytes`)
          }
          return piece
        },
      }
    } catch (cause) {
      finish()
      throw cause
    }
  }

  async #send(
    request: HttpRequest,
    signal: AbortSignal,
    onConnect: (address: string) => void,
  ): Promise<ExchangeResponse> {
    const { addresses, rule, url } = await untilAborted(this.#decide(request), signal)
    const { maxBodyBytes, maxHeaderBytes } = this.#compiled
    checkHeaders(request, rule, maxHeaderBytes)
    const own = new Set(rule.headers.map(([name]) => comparedName(name)))
    const headers = [...request.headers.filter(([name]) => !own.has(comparedName(name))), ...rule.headers]
    const { body, method } = request
    const limit = maxBodyBytes ?? (this.#fetch === undefined ? Infinity : maxHeldBodyBytes)
    if ((body?.length ?? 0) > limit) throw new NetworkError("TooLong", `the body is longer than ${limit} bytes`)
    let sent = 0
    const bounded = body && {
      length: body.length,
      pull: async () => {
        const piece = await body.pull()
        sent += piece?.length ?? 0
        if (sent > limit) throw new NetworkError("TooLong", `the body is longer than ${limit} bytes`)
        return piece
      },
    }
    const send = this.#fetch
    // Values are bytes, also for `fetch`, which refuses other characters and quotes the value.
    const fields = headers.map(([name, value]) => [name, textToBinary(value)] as const)
    if (send !== undefined) {
      const fetched = { url, method, headers: fields, body: bounded, maxBodyBytes: limit }
      return await this.#wrap(() => fetchExchange(send, fetched, signal), signal)
    }
    const process = nodeBuiltins()
    if (process === undefined || addresses === undefined) throw new NetworkError("Connect", "this host has no sockets")
    const exchange = { url, method, headers: fields, body: bounded, addresses, maxHeadBytes: maxHeaderBytes, onConnect }
    const response = await this.#wrap(() => openExchange(process, exchange, signal), signal)
    const texts = response.headers.map(([name, value]) => [name, binaryToText(value)] as const)
    return { ...response, statusText: binaryToText(response.statusText), headers: texts }
  }

  /** Makes `NetworkError`s of other failures. */
  async #wrap<A>(work: () => Promise<A>, signal: AbortSignal): Promise<A> {
    try {
      return await work()
    } catch (cause) {
      if (signal.aborted) throw signal.reason
      if (cause instanceof NetworkError) throw cause
      throw new NetworkError(cause instanceof ExchangeError ? cause.fault : "Connect", errorMessage(cause))
    }
  }

  /** Decides about a request, and reports the decision. */
  async #decide({ method, url: text }: HttpRequest): Promise<Decision> {
    const { maxHeaderBytes } = this.#compiled
    if (text.length > maxHeaderBytes) {
      throw new NetworkError("InvalidRequest", `the URL is longer than ${maxHeaderBytes} bytes`)
    }
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url === undefined || !isToken(method)) {
      throw new NetworkError("InvalidRequest", url === undefined ? "this is not a URL" : "the method is not a word")
    }
    if (url.username !== "" || url.password !== "") {
      throw new NetworkError("InvalidRequest", "a URL has no user and password")
    }
    const asked = { method, url: url.href }
    const rule = findRule(this.#compiled.rules, url, method)
    if (typeof rule === "string") return await this.#refuse({ ...asked, reason: "NotAllowed", message: rule })
    const addresses = this.#fetch === undefined ? await this.#addressesOf(url, rule) : undefined
    if (addresses?.every((address) => this.#mayConnect(rule, address)) === false) {
      // Only the host sees the addresses, because its resolver may know names of its own network.
      const message = `${url.hostname} has an address that is not on the public Internet`
      return await this.#refuse({ ...asked, reason: "PrivateAddress", message, addresses })
    }
    await this.#report({ ...asked, allowed: true, rule: rule.origin, ...addresses && { addresses } })
    return { url, rule, addresses }
  }

  async #report(decision: NetworkDecision): Promise<void> {
    try {
      await this.#policy.onDecision?.(decision)
    } catch {
      throw new NetworkError("NotAllowed", "the decision could not be reported")
    }
  }

  async #refuse(decision: Omit<NetworkDecision, "allowed">): Promise<never> {
    await this.#report({ ...decision, allowed: false })
    throw new NetworkError("NotAllowed", decision.message ?? "")
  }

  async #addressesOf(url: URL, { host }: CompiledRule): Promise<ReadonlyArray<string>> {
    const name = url.hostname.replace(/^\[|\]$/g, "")
    if (host === "address") return [name]
    try {
      const addresses = await (this.#policy.resolve ?? lookUp)(name)
      if (addresses.length > 0) return addresses
    } catch {
      // The reason comes from the system's resolver, and reveals facts about the host.
    }
    throw new NetworkError("NotFound", `${name} was not found`)
  }

  #mayConnect({ host, privateAddresses }: CompiledRule, address: string): boolean {
    if (host === "address" || (host === "localhost" && isLoopback(address))) return true
    return makePublicAddressCheck()?.(address) === true ||
      (privateAddresses && makePrivateAddressCheck()?.(address) === true)
  }
}
