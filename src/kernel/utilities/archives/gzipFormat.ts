/** Reads and writes members of gzip files. Source: RFC 1952. */
// The build for Node imports `node:module` when it is loaded.
import { Deflate } from "fflate/browser"
import { emptyBytes } from "../../../base/bytes.ts"
import { binaryToBytes, bytesToBinary } from "../../binaryString.ts"
import { ByteReader } from "./ByteReader.ts"
import { Crc32 } from "./Crc32.ts"
import { inflate, InflateError } from "./inflate.ts"

/** The header of a member. */
export interface GzipHeader {
  /** The name as a binary string; `""` if it has none. */
  readonly name: string
  /** Seconds since 1970; 0 if it has none. */
  readonly modified: number
}

export type Sink = (bytes: Uint8Array) => Promise<void> | void

export type Level = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9

export const levels = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const

export const isGzip = async (reader: ByteReader): Promise<boolean> =>
  await reader.ensure(2) >= 2 && reader.bytes[reader.at] === 0x1f && reader.bytes[reader.at + 1] === 0x8b

const truncated = (): InflateError => new InflateError("unexpected end of file")

const flags = { headerCrc: 2, extra: 4, name: 8, comment: 16 } as const

/** Reads the header of a member, whose first bytes were tested by {@link isGzip}. */
export const readHeader = async (reader: ByteReader): Promise<GzipHeader> => {
  const head = await reader.take(10)
  if (head.length < 10) throw truncated()
  const view = new DataView(head.buffer)
  const set = view.getUint8(3)
  if (view.getUint8(2) !== 8) throw new InflateError(`unknown method ${view.getUint8(2)} -- not supported`)
  if ((set & 0xe0) !== 0) throw new InflateError(`has flags 0x${set.toString(16)} -- not supported`)
  if ((set & flags.extra) !== 0) {
    const length = await reader.take(2)
    if (length.length < 2 || !await reader.skip((length[0] ?? 0) + 256 * (length[1] ?? 0))) throw truncated()
  }
  const name = (set & flags.name) !== 0 ? bytesToBinary(await reader.takeString()) : ""
  if ((set & flags.comment) !== 0) await reader.takeString()
  if ((set & flags.headerCrc) !== 0 && !await reader.skip(2)) throw truncated()
  return { modified: view.getUint32(4, true), name }
}

/** Decompresses the data of a member, and compares its checksum and length. */
export async function* memberPieces(reader: ByteReader): AsyncGenerator<Uint8Array> {
  const crc = new Crc32()
  for await (const bytes of inflate(reader)) {
    crc.update(bytes)
    yield bytes
  }
  const tail = await reader.take(8)
  if (tail.length < 8) throw truncated()
  const view = new DataView(tail.buffer)
  if (view.getUint32(0, true) !== crc.value) throw new InflateError("invalid compressed data--crc error")
  if (view.getUint32(4, true) !== crc.bytes % 2 ** 32) throw new InflateError("invalid compressed data--length error")
}

/** Decompresses all members that follow one another. */
export async function* gunzipPieces(reader: ByteReader): AsyncGenerator<Uint8Array> {
  while (await isGzip(reader)) {
    await readHeader(reader)
    yield* memberPieces(reader)
  }
}

/** Whether other bytes than zeroes follow. */
export const hasGarbage = async (reader: ByteReader): Promise<boolean> => {
  while (await reader.ensure(1) > 0) {
    if (reader.bytes.subarray(reader.at, reader.end).some((byte) => byte !== 0)) return true
    reader.at = reader.end
  }
  return false
}

/** Reads the pieces that are decompressed from another reader. */
export const decompressedReader = (reader: ByteReader, pieces: AsyncGenerator<Uint8Array>): ByteReader => {
  let piece: Uint8Array = emptyBytes
  return new ByteReader(async (into) => {
    while (piece.length === 0) {
      const next = await pieces.next()
      if (next.done === true) return 0
      piece = next.value
    }
    const part = piece.subarray(0, into.length)
    into.set(part)
    piece = piece.subarray(part.length)
    return part.length
  }, reader.pause)
}

/** Compresses pieces to raw DEFLATE data. */
export class Deflater {
  readonly #deflate: Deflate
  readonly #write: Sink
  #pending: Array<Uint8Array> = []
  readonly crc: Crc32 = new Crc32()
  /** Bytes that were written. */
  written = 0

  constructor(level: Level, write: Sink) {
    this.#write = write
    this.#deflate = new Deflate({ level }, (bytes) => void this.#pending.push(bytes))
  }

  async push(bytes: Uint8Array, isLast = false): Promise<void> {
    this.crc.update(bytes)
    this.#deflate.push(bytes, isLast)
    const pending = this.#pending
    this.#pending = []
    for (const piece of pending) {
      this.written += piece.length
      await this.#write(piece)
    }
  }
}

/** Compresses pieces to one member. */
export class GzipWriter {
  readonly #deflater: Deflater
  readonly #write: Sink
  readonly #header: Uint8Array

  constructor({ modified, name }: GzipHeader, level: Level, write: Sink) {
    this.#deflater = new Deflater(level, write)
    this.#write = write
    const isNamed = name !== ""
    this.#header = new Uint8Array(10 + (isNamed ? name.length + 1 : 0))
    this.#header.set([0x1f, 0x8b, 8, isNamed ? flags.name : 0])
    new DataView(this.#header.buffer).setUint32(4, modified, true)
    this.#header.set([level === 9 ? 2 : level === 1 ? 4 : 0, 3], 8)
    if (isNamed) this.#header.set(binaryToBytes(name), 10)
  }

  get bytesIn(): number {
    return this.#deflater.crc.bytes
  }

  get bytesOut(): number {
    return this.#deflater.written + this.#header.length + 8
  }

  async start(): Promise<void> {
    await this.#write(this.#header)
  }

  async push(bytes: Uint8Array): Promise<void> {
    await this.#deflater.push(bytes)
  }

  async end(): Promise<void> {
    await this.#deflater.push(new Uint8Array(0), true)
    const tail = new DataView(new ArrayBuffer(8))
    tail.setUint32(0, this.#deflater.crc.value, true)
    tail.setUint32(4, this.#deflater.crc.bytes % 2 ** 32, true)
    await this.#write(new Uint8Array(tail.buffer))
  }
}
