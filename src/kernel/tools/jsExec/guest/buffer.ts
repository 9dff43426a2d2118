/** Implements `Buffer`, `TextEncoder` and `TextDecoder`. It runs in the engine, with the names of the files before it. */
export const bufferSource: string = String.raw`
const bytesOf = (value) => value instanceof Uint8Array ? value
  : ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  : value instanceof ArrayBuffer ? new Uint8Array(value) : undefined
/** The bytes as an ArrayBuffer of their own, as the host takes them. */
const ownBuffer = (bytes) => bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer ? bytes.buffer
  : new Uint8Array(bytes).buffer
const encodeText = (text) => new Uint8Array(call("encode", text.toWellFormed()))
const decodeText = (bytes, label = "utf-8", isFatal = false, keepsBom = true) => {
  const text = call("decode", ownBuffer(bytes), label, isFatal, keepsBom)
  if (text === null) throw codedError(TypeError, "ERR_ENCODING_INVALID_ENCODED_DATA", "The encoded data was not valid for encoding " + label)
  return text
}
class TextEncoder {
  get encoding() { return "utf-8" }
  encode(text = "") { return encodeText(String(text)) }
  encodeInto(text, into) {
    let [read, written] = [0, 0]
    for (const character of text) {
      const bytes = encodeText(character)
      if (written + bytes.length > into.length) break
      into.set(bytes, written)
      written += bytes.length
      read += character.length
    }
    return { read, written }
  }
}
class TextDecoder {
  #kept = new Uint8Array(0)
  constructor(label = "utf-8", options = {}) {
    this.encoding = call("encodingName", String(label))
    if (this.encoding === undefined) throw codedError(RangeError, "ERR_ENCODING_NOT_SUPPORTED", 'The "' + label + '" encoding is not supported')
    this.fatal = options.fatal === true
    this.ignoreBOM = options.ignoreBOM === true
  }
  decode(input, options = {}) {
    let bytes = input === undefined ? new Uint8Array(0) : bytesOf(input)
    if (this.#kept.length > 0) bytes = concatBytes([this.#kept, bytes])
    let end = bytes.length
    if (options.stream === true && this.encoding === "utf-8") {
      let at = end - 1
      while (at >= 0 && end - at < 4 && (bytes[at] & 0xc0) === 0x80) at--
      if (at >= 0 && bytes[at] >= 0xc0 && end - at < (bytes[at] >= 0xf0 ? 4 : bytes[at] >= 0xe0 ? 3 : 2)) end = at
    }
    this.#kept = bytes.slice(end)
    return decodeText(bytes.subarray(0, end), this.encoding, this.fatal, this.ignoreBOM)
  }
}
const concatBytes = (parts, length = parts.reduce((sum, part) => sum + part.length, 0)) => {
  const joined = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    joined.set(part.subarray(0, Math.max(0, length - at)), Math.min(at, length))
    at += part.length
  }
  return joined
}
const binaryText = (bytes) => {
  let text = ""
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096))
  return text
}
const encodings = ["utf8", "utf-8", "hex", "base64", "base64url", "latin1", "binary", "ascii", "ucs2", "ucs-2", "utf16le", "utf-16le"]
const encodingOf = (name) => {
  const found = name === undefined || name === null ? "utf8" : String(name).toLowerCase()
  if (encodings.includes(found)) return found
  throw codedError(TypeError, "ERR_UNKNOWN_ENCODING", "Unknown encoding: " + name)
}
const textToBytes = (text, name) => {
  const encoding = encodingOf(name)
  if (encoding.startsWith("utf8") || encoding === "utf-8") return encodeText(text)
  if (encoding === "hex") return Uint8Array.from((/^(?:[0-9a-f]{2})*/i.exec(text)[0].match(/../g) ?? []), (pair) => parseInt(pair, 16))
  if (encoding.startsWith("base64")) {
    const digits = text.replaceAll("-", "+").replaceAll("_", "/").replace(/[^A-Za-z0-9+/]/g, "")
    return Uint8Array.from(atob(digits.slice(0, digits.length - (digits.length % 4 === 1 ? 1 : 0))), (c) => c.charCodeAt(0))
  }
  if (encoding.startsWith("u")) return new Uint8Array(Uint16Array.from(text, (c) => c.charCodeAt(0)).buffer)
  return Uint8Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
}
class Buffer extends Uint8Array {
  static poolSize = 8192
  static from(value, encoding, length) {
    if (typeof value === "string") return Buffer.#own(textToBytes(value, encoding))
    if (value instanceof ArrayBuffer) return new Buffer(value, encoding, length)
    if (typeof value !== "object" || value === null) throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", "The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. Received " + describeArgument(value))
    if (value.type === "Buffer" && Array.isArray(value.data)) return Buffer.from(value.data)
    const copy = new Buffer(value.length ?? 0)
    for (let at = 0; at < copy.length; at++) copy[at] = value[at]
    return copy
  }
  static #own(bytes) { return new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
  static of(...values) { return Buffer.from(values) }
  static alloc(size, fill, encoding) {
    const made = new Buffer(size)
    return fill === undefined || fill === 0 ? made : made.fill(fill, encoding)
  }
  static allocUnsafe(size) { return new Buffer(size) }
  static concat(parts, length) { return Buffer.#own(concatBytes(parts, length)) }
  static isBuffer(value) { return value instanceof Buffer }
  static isEncoding(name) { return encodings.includes(String(name).toLowerCase()) }
  static byteLength(value, encoding) { return typeof value === "string" ? textToBytes(value, encoding).length : value.byteLength }
  static compare(a, b) {
    for (let at = 0; at < Math.min(a.length, b.length); at++) if (a[at] !== b[at]) return a[at] < b[at] ? -1 : 1
    return Math.sign(a.length - b.length)
  }
  toString(name, from = 0, to = this.length) {
    const bytes = this.subarray(from, to)
    const encoding = encodingOf(name)
    if (encoding === "utf8" || encoding === "utf-8") return decodeText(bytes)
    if (encoding === "hex") return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
    if (encoding === "base64") return btoa(binaryText(bytes))
    if (encoding === "base64url") return btoa(binaryText(bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")
    if (encoding === "ascii") return binaryText(bytes.map((byte) => byte & 127))
    return encoding.startsWith("u") ? decodeText(bytes, "utf-16le") : binaryText(bytes)
  }
  toJSON() { return { type: "Buffer", data: Array.from(this) } }
  equals(other) { return Buffer.compare(this, other) === 0 }
  compare(other) { return Buffer.compare(this, other) }
  slice(from, to) { return this.subarray(from, to) }
  write(text, offset = 0, length, encoding) {
    const bytes = textToBytes(text, typeof offset === "string" ? offset : typeof length === "string" ? length : encoding)
    const at = typeof offset === "number" ? offset : 0
    const count = Math.min(bytes.length, this.length - at, typeof length === "number" ? length : Infinity)
    this.set(bytes.subarray(0, count), at)
    return count
  }
  copy(target, at = 0, from = 0, to = this.length) {
    const part = this.subarray(from, Math.min(to, from + target.length - at))
    target.set(part, at)
    return part.length
  }
  fill(value, from, to, encoding) {
    const start = typeof from === "number" ? from : 0
    if (typeof value !== "string") return super.fill(value, start, to)
    const bytes = textToBytes(value, typeof from === "string" ? from : encoding)
    const end = to ?? this.length
    if (bytes.length === 0 || end <= start) return super.fill(0, start, end)
    this.set(bytes.subarray(0, end - start), start)
    // The engine copies: a loop over bytes would take 300 ms for a million.
    for (let done = bytes.length; start + done < end; done *= 2) this.copyWithin(start + done, start, Math.min(start + done, end - done))
    return this
  }
  indexOf(value, from = 0, encoding) {
    if (typeof value === "number") return super.indexOf(value, from)
    return binaryText(this).indexOf(binaryText(typeof value === "string" ? textToBytes(value, encoding) : value), from)
  }
  includes(value, from, encoding) { return this.indexOf(value, from, encoding) >= 0 }
  [inspectCustom]() { return "<Buffer" + (this.length > 0 ? " " + byteText(this, 50) : "") + ">" }
}
for (const [type, size] of [["Uint8", 1], ["Int8", 1], ["Uint16", 2], ["Int16", 2], ["Uint32", 4], ["Int32", 4], ["Float32", 4], ["Float64", 8], ["BigInt64", 8], ["BigUint64", 8]]) {
  const name = type.replace("Uint", "UInt").replace("Float32", "Float").replace("Float64", "Double").replace("BigUint", "BigUInt")
  for (const order of size === 1 ? [""] : ["LE", "BE"]) {
    const view = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength)
    Buffer.prototype["read" + name + order] = function (at = 0) { return view(this)["get" + type](at, order === "LE") }
    Buffer.prototype["write" + name + order] = function (value, at = 0) {
      view(this)["set" + type](at, value, order === "LE")
      return at + size
    }
  }
}
`
