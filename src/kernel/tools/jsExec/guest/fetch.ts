/** Implements `fetch`, which the host sends by the network policy. It runs in the engine, with the names of the files before it. */
export const fetchSource: string = String.raw`
class Headers {
  #map = new Map()
  constructor(init = []) {
    const pairs = init instanceof Headers || Array.isArray(init) ? init : Object.entries(init)
    for (const [name, value] of pairs) this.append(name, value)
  }
  append(name, value) {
    const key = String(name).toLowerCase()
    this.#map.set(key, this.#map.has(key) ? this.#map.get(key) + ", " + String(value).trim() : String(value).trim())
  }
  set(name, value) { this.#map.set(String(name).toLowerCase(), String(value).trim()) }
  get(name) { return this.#map.get(String(name).toLowerCase()) ?? null }
  has(name) { return this.#map.has(String(name).toLowerCase()) }
  delete(name) { this.#map.delete(String(name).toLowerCase()) }
  forEach(callback, self) { for (const [name, value] of this) callback.call(self, value, name, this) }
  entries() { return [...this.#map].sort(([a], [b]) => a < b ? -1 : 1).values() }
  keys() { return [...this.entries()].map(([name]) => name).values() }
  values() { return [...this.entries()].map(([, value]) => value).values() }
  [Symbol.iterator]() { return this.entries() }
  [inspectCustom](depth, options, inspect) { return "Headers " + inspect(Object.fromEntries(this), options) }
}
class Body {
  #bytes
  bodyUsed = false
  constructor(body) {
    this.#bytes = body === undefined || body === null ? new Uint8Array(0) : bytesOf(body) ?? encodeText(String(body))
  }
  async bytes() {
    if (this.bodyUsed) throw new TypeError("Body is unusable: Body has already been read")
    this.bodyUsed = true
    return this.#bytes
  }
  async text() { return decodeText(await this.bytes(), "utf-8", false, false) }
  async json() { return JSON.parse(await this.text()) }
  async arrayBuffer() { return ownBuffer(await this.bytes()) }
  get body() {
    const self = this
    return { async *[Symbol.asyncIterator]() { yield await self.bytes() } }
  }
  peek() { return this.#bytes }
}
class Response extends Body {
  constructor(body, { headers, redirected = false, status = 200, statusText = "", url = "" } = {}) {
    super(body)
    Object.assign(this, { status, statusText, url, redirected, ok: status >= 200 && status < 300, type: "basic", headers: new Headers(headers) })
  }
  static json(data, init = {}) { return new Response(JSON.stringify(data), { ...init, headers: { "content-type": "application/json", ...init.headers } }) }
  clone() { return new Response(this.peek(), this) }
}
class Request extends Body {
  constructor(input, init = {}) {
    const from = input instanceof Request ? input : { url: new URL(String(input)).href, method: "GET" }
    const body = init.body ?? (input instanceof Request ? input.peek() : undefined)
    super(body)
    Object.assign(this, { url: from.url, method: String(init.method ?? from.method).toUpperCase(), headers: new Headers(init.headers ?? from.headers), redirect: init.redirect ?? "follow", signal: init.signal })
    if (this.headers.has("content-type")) return
    if (body instanceof URLSearchParams) this.headers.set("content-type", "application/x-www-form-urlencoded;charset=UTF-8")
    else if (typeof body === "string") this.headers.set("content-type", "text/plain;charset=UTF-8")
  }
}
const fetch = async (input, init) => {
  const request = new Request(input, init)
  request.signal?.throwIfAborted()
  const { headers, method, redirect, url } = request
  const aborted = new Promise((_, reject) => request.signal?.addEventListener("abort", () => reject(request.signal.reason)))
  const sent = later("fetch", JSON.stringify({ url, method, redirect, headers: [...headers] }), ownBuffer(request.peek().slice()))
  try {
    const [head, body] = await Promise.race([sent, aborted])
    return new Response(body, JSON.parse(head))
  } catch (error) {
    if (error instanceof HostFailure) throw new TypeError("fetch failed", { cause: new Error(error.message) })
    throw error
  }
}
class HostFailure extends Error {}
`
