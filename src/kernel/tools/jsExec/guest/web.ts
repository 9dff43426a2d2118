/** Implements globals of the web platform. It runs in the engine, with the names of the files before it. */
export const webSource: string = String.raw`
const decodeQuery = (text) => text.replaceAll("+", " ").replace(/(?:%[0-9a-f]{2})+/gi, (run) => decodeText(Uint8Array.from(run.slice(1).split("%"), (pair) => parseInt(pair, 16))))
const encodeQuery = (text) => encodeURIComponent(text.toWellFormed()).replace(/[!'()~]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase()).replaceAll("%20", "+")
/** Here and not by the host, where the pairs of a long text would take much more memory than the text. */
const parseQuery = (text) => text.toWellFormed().replace(/^\?/, "").split("&").filter((part) => part !== "").map((part) => {
  const at = part.indexOf("=")
  return at < 0 ? [decodeQuery(part), ""] : [decodeQuery(part.slice(0, at)), decodeQuery(part.slice(at + 1))]
})
class URLSearchParams {
  #pairs = []
  #changed = () => {}
  constructor(init = "", changed) {
    if (typeof changed === "function") this.#changed = changed
    if (typeof init === "string") this.#pairs = parseQuery(init)
    else this.#pairs = [...typeof init[Symbol.iterator] === "function" ? init : Object.entries(init)].map(([key, value]) => [String(key), String(value)])
  }
  get size() { return this.#pairs.length }
  #set(pairs) {
    this.#pairs = pairs
    this.#changed(this.toString())
  }
  append(key, value) { this.#set([...this.#pairs, [String(key), String(value)]]) }
  delete(key, value) { this.#set(this.#pairs.filter(([name, found]) => name !== String(key) || value !== undefined && found !== String(value))) }
  get(key) { return this.#pairs.find(([name]) => name === String(key))?.[1] ?? null }
  getAll(key) { return this.#pairs.filter(([name]) => name === String(key)).map(([, value]) => value) }
  has(key, value) { return this.#pairs.some(([name, found]) => name === String(key) && (value === undefined || found === String(value))) }
  set(key, value) {
    const at = this.#pairs.findIndex(([name]) => name === String(key))
    if (at < 0) return this.append(key, value)
    this.#set(this.#pairs.flatMap((pair, index) => index === at ? [[String(key), String(value)]] : pair[0] === String(key) ? [] : [pair]))
  }
  sort() { this.#set([...this.#pairs].sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0)) }
  forEach(callback, self) { for (const [key, value] of this.#pairs) callback.call(self, value, key, this) }
  entries() { return this.#pairs.map((pair) => [...pair]).values() }
  keys() { return this.#pairs.map(([key]) => key).values() }
  values() { return this.#pairs.map(([, value]) => value).values() }
  [Symbol.iterator]() { return this.entries() }
  toString() { return this.#pairs.map(([key, value]) => encodeQuery(key) + "=" + encodeQuery(value)).join("&") }
  [inspectCustom](depth, options, inspect) { return "URLSearchParams {" + (this.size > 0 ? " " + this.#pairs.map(([key, value]) => inspect(key) + " => " + inspect(value)).join(", ") + " " : "") + "}" }
}
class URL {
  #parts
  #params
  constructor(input, base) {
    const found = call("parseUrl", String(input), base === undefined ? undefined : String(base))
    if (found === undefined) throw Object.assign(codedError(TypeError, "ERR_INVALID_URL", "Invalid URL"), { input: String(input) })
    this.#parts = JSON.parse(found)
  }
  static canParse(input, base) { return call("parseUrl", String(input), base === undefined ? undefined : String(base)) !== undefined }
  static parse(input, base) { return URL.canParse(input, base) ? new URL(input, base) : null }
  get searchParams() {
    return this.#params ??= new URLSearchParams(this.#parts.search, (text) => void (this.#parts = JSON.parse(call("setUrl", this.#parts.href, "search", text))))
  }
  static {
    for (const name of ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"]) {
      Object.defineProperty(URL.prototype, name, {
        get() { return this.#parts[name] },
        set(value) {
          if (name === "origin") return
          const found = call("setUrl", this.#parts.href, name, String(value))
          if (found === undefined) throw codedError(TypeError, "ERR_INVALID_URL", "Invalid URL")
          this.#parts = JSON.parse(found)
          this.#params = undefined
        },
        enumerable: true, configurable: true,
      })
    }
  }
  toString() { return this.#parts.href }
  toJSON() { return this.#parts.href }
  [inspectCustom](depth, options, inspect) {
    if (depth < 0) return "[URL]"
    const parts = Object.fromEntries(["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "searchParams", "hash"].map((name) => [name, this[name]]))
    return "URL " + inspect(parts, options)
  }
}
const fileURLToPath = (url) => {
  const found = typeof url === "string" ? new URL(url) : url
  if (found.protocol !== "file:") throw codedError(TypeError, "ERR_INVALID_URL_SCHEME", "The URL must be of scheme file")
  return decodeURIComponent(found.pathname)
}
const pathToFileURL = (value) => {
  const url = new URL("file:///")
  url.pathname = path.resolve(value).replaceAll("%", "%25").replaceAll("?", "%3F").replaceAll("#", "%23")
  return url
}
const cloneTypes = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }
const structuredClone = (value, seen = new Map()) => {
  if (typeof value === "function" || typeof value === "symbol") throw new DOMException(String(value) + " could not be cloned.", "DataCloneError")
  if (typeof value !== "object" || value === null) return value
  if (seen instanceof Map && seen.has(value)) return seen.get(value)
  const known = seen instanceof Map ? seen : new Map()
  const keep = (copy) => {
    known.set(value, copy)
    return copy
  }
  const clone = (part) => structuredClone(part, known)
  if (value instanceof Date) return keep(new Date(value.getTime()))
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags))
  if (value instanceof ArrayBuffer) return keep(value.slice(0))
  if (value instanceof DataView) return keep(new DataView(clone(value.buffer), value.byteOffset, value.byteLength))
  if (ArrayBuffer.isView(value)) return keep(new (Object.getPrototypeOf(value).constructor === Buffer ? Uint8Array : value.constructor)(clone(value.buffer), value.byteOffset, value.length))
  if (value instanceof Map) {
    const copy = keep(new Map())
    for (const [key, item] of value) copy.set(clone(key), clone(item))
    return copy
  }
  if (value instanceof Set) {
    const copy = keep(new Set())
    for (const item of value) copy.add(clone(item))
    return copy
  }
  if (value instanceof Error) {
    const copy = keep(new (cloneTypes[value.name] ?? Error)(value.message))
    copy.stack = value.stack
    if (Object.hasOwn(value, "cause")) copy.cause = clone(value.cause)
    return copy
  }
  if (["Number", "String", "Boolean"].includes(tagOf(value))) return keep(Object(value.valueOf()))
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) throw new DOMException("#<" + tagOf(value) + "> could not be cloned.", "DataCloneError")
  const copy = keep(Array.isArray(value) ? new Array(value.length) : {})
  for (const key of Object.keys(value)) copy[key] = clone(value[key])
  return copy
}
const crypto = {
  getRandomValues: (view) => {
    bytesOf(view).set(new Uint8Array(call("random", view.byteLength)))
    return view
  },
  randomUUID: () => {
    const bytes = crypto.getRandomValues(new Uint8Array(16))
    bytes[6] = bytes[6] & 15 | 64
    bytes[8] = bytes[8] & 63 | 128
    return Buffer.from(bytes).toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
  },
}
class Event {
  constructor(type) { this.type = type }
}
class EventTarget {
  #events = new EventEmitter()
  addEventListener(type, listener, options) { this.#events[options?.once === true ? "once" : "on"](type, listener.handleEvent ?? listener) }
  removeEventListener(type, listener) { this.#events.off(type, listener.handleEvent ?? listener) }
  dispatchEvent(event) {
    event.target = this
    this["on" + event.type]?.(event)
    this.#events.emit(event.type, event)
    return true
  }
}
class AbortSignal extends EventTarget {
  aborted = false
  reason = undefined
  throwIfAborted() { if (this.aborted) throw this.reason }
  static abort(reason = new DOMException("This operation was aborted", "AbortError")) { return abortSignal(new AbortSignal(), reason) }
  static timeout(ms) {
    const signal = new AbortSignal()
    setTimeout(() => abortSignal(signal, new DOMException("The operation was aborted due to timeout", "TimeoutError")), ms).unref()
    return signal
  }
}
const abortSignal = (signal, reason) => {
  if (!signal.aborted) {
    Object.assign(signal, { aborted: true, reason })
    signal.dispatchEvent(new Event("abort"))
  }
  return signal
}
class AbortController {
  signal = new AbortSignal()
  abort(reason = new DOMException("This operation was aborted", "AbortError")) { abortSignal(this.signal, reason) }
}
`
