/** Reads the server name (SNI) of a TLS ClientHello. Source: RFC 8446, sections 4.1.2 and 5.1; RFC 6066, section 3. */
export type FirstBytes =
  /** The minimum number of bytes that are needed. */
  | { readonly _tag: "Incomplete"; readonly length: number }
  | { readonly _tag: "Other" }
  | { readonly _tag: "Malformed" }
  | { readonly _tag: "ClientHello"; readonly serverName: string | undefined }

/** Maximum bytes of a ClientHello, and maximum number of records into which it is split. */
const maxHelloBytes = 32_768
const maxRecords = 64

/** Bytes that are read in order; reading past the end gives `undefined`. */
class Cursor {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  number(size: number): number | undefined {
    const bytes = this.take(size)
    return bytes?.reduce((value, byte) => value * 256 + byte, 0)
  }

  take(length: number | undefined): Uint8Array | undefined {
    if (length === undefined || length > this.left) return undefined
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  /** A vector with a length of `size` bytes before it. */
  vector(size: number): Cursor | undefined {
    const bytes = this.take(this.number(size))
    return bytes === undefined ? undefined : new Cursor(bytes)
  }
}

const malformed: FirstBytes = { _tag: "Malformed" }

const nameOf = (extension: Cursor): string | undefined => {
  const list = extension.vector(2)
  if (list === undefined || list.number(1) !== 0) return undefined
  const name = list.vector(2)
  const bytes = name?.take(name.left)
  // Some servers would read a second name, and others would not.
  return bytes === undefined || list.left > 0 || extension.left > 0 ? undefined : String.fromCharCode(...bytes)
}

const parseHello = (body: Cursor): FirstBytes => {
  const isStart = body.take(2 + 32) !== undefined && body.vector(1) !== undefined && body.vector(2) !== undefined &&
    body.vector(1) !== undefined
  if (!isStart) return malformed
  // Without extensions.
  if (body.left === 0) return { _tag: "ClientHello", serverName: undefined }
  const extensions = body.vector(2)
  let serverName: string | undefined
  while (extensions !== undefined && extensions.left > 0) {
    const type = extensions.number(2)
    const extension = extensions.vector(2)
    if (type === undefined || extension === undefined) return malformed
    if (type !== 0) continue
    const name = nameOf(extension)
    if (name === undefined || serverName !== undefined) return malformed
    serverName = name
  }
  return extensions === undefined || body.left > 0 ? malformed : { _tag: "ClientHello", serverName }
}

export const parseFirstBytes = (bytes: Uint8Array): FirstBytes => {
  if (bytes.length === 0) return { _tag: "Incomplete", length: 1 }
  // A handshake record. Servers read nothing else as the start of TLS.
  if (bytes[0] !== 22) return { _tag: "Other" }
  const hello: Array<number> = []
  for (let at = 0, records = 0; records < maxRecords; records++) {
    if (bytes.length < at + 5) return { _tag: "Incomplete", length: at + 5 }
    const size = (bytes[at + 3] ?? 0) * 256 + (bytes[at + 4] ?? 0)
    if (bytes[at] !== 22 || bytes[at + 1] !== 3 || size === 0 || size > 16_640) return malformed
    const end = at + 5 + size
    if (bytes.length < end) return { _tag: "Incomplete", length: end }
    hello.push(...bytes.subarray(at + 5, end))
    if (hello.length > maxHelloBytes) return malformed
    if (hello.length >= 4) {
      const handshake = new Cursor(Uint8Array.from(hello))
      if (handshake.number(1) !== 1) return malformed
      const body = handshake.vector(3)
      if (body !== undefined) return parseHello(body)
    }
    at = end
  }
  return malformed
}
