/** Decompresses .xz files piece by piece. Source: the .xz file format 1.2. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import type { ByteReader } from "./ByteReader.ts"
import { Crc32 } from "./Crc32.ts"
import { Crc64 } from "./Crc64.ts"
import { InflateError } from "./inflate.ts"
import { Lzma2Decoder, truncatedXz } from "./lzma2.ts"

const damaged = (): InflateError => new InflateError("Compressed data is corrupt")

const magic = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]
const headerBytes = 12
const lzma2 = 0x21

/** The checksum after a block, and its size by its type. */
interface Check {
  readonly update: (bytes: Uint8Array) => unknown
  /** In hexadecimal digits. */
  readonly digest: () => string
  readonly size: number
}

const bytesOf = (value: bigint, size: number): string => {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, value, true)
  return bytesToHex(new Uint8Array(view.buffer, 0, size))
}

const makeCheck = (type: number): Check => {
  if (type === 0) return { digest: () => "", size: 0, update: () => {} }
  if (type === 1) {
    const crc = new Crc32()
    return { digest: () => bytesOf(BigInt(crc.value), 4), size: 4, update: (bytes) => crc.update(bytes) }
  }
  if (type === 4) {
    const crc = new Crc64()
    return { digest: () => bytesOf(crc.value, 8), size: 8, update: (bytes) => crc.update(bytes) }
  }
  if (type !== 10) throw new InflateError(`the integrity check of type ${type} is not supported`)
  const hash = sha256.create()
  return { digest: () => bytesToHex(hash.digest()), size: 32, update: (bytes) => hash.update(bytes) }
}

const take = async (reader: ByteReader, count: number): Promise<Uint8Array> => {
  const bytes = await reader.take(count)
  if (bytes.length < count) throw truncatedXz()
  return bytes
}

/** Fails unless the last four bytes are the checksum of those before. */
const checkCrc = (bytes: Uint8Array, from = 0): void => {
  const crc = new Crc32()
  crc.update(bytes.subarray(from, -4))
  if (new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 4, true) !== crc.value) throw damaged()
}

/** Reads an integer of seven bits a byte, as a function of the bytes. */
const readInteger = (bytes: Uint8Array, from: number): readonly [value: number, next: number] => {
  let [value, scale] = [0, 1]
  for (let at = from; at < from + 9; at++) {
    const byte = bytes[at]
    if (byte === undefined) throw damaged()
    value += (byte & 127) * scale
    scale *= 128
    if (byte < 128) return [value, at + 1]
  }
  throw damaged()
}

/** The size of the dictionary, from the header of a block. */
const dictionaryOf = (header: Uint8Array): number => {
  checkCrc(header)
  const flags = header[1] ?? 0
  let at = 2
  for (const flag of [0x40, 0x80]) if ((flags & flag) !== 0) [, at] = readInteger(header, at)
  const [filter, next] = readInteger(header, at)
  if ((flags & 3) !== 0 || filter !== lzma2) throw new InflateError("filters other than LZMA2 are not supported")
  const bits = header[next + 1] ?? 0
  if (header[next] !== 1 || bits > 40) throw damaged()
  return bits === 40 ? 0xffffffff : (2 | bits & 1) * 2 ** ((bits >> 1) + 11)
}

export const isXz = async (reader: ByteReader): Promise<boolean> =>
  await reader.ensure(magic.length) >= magic.length && magic.every((byte, at) => reader.bytes[reader.at + at] === byte)

async function* streamPieces(reader: ByteReader): AsyncGenerator<Uint8Array> {
  const head = await take(reader, headerBytes)
  checkCrc(head, magic.length)
  if (head[6] !== 0) throw damaged()
  const check = head[7] ?? 0
  let blocks = 0
  for (;;) {
    if (await reader.ensure(1) === 0) throw truncatedXz()
    const size = ((reader.bytes[reader.at] ?? 0) + 1) * 4
    if (size === 4) break
    const header = await take(reader, size)
    const decoder = new Lzma2Decoder(reader, dictionaryOf(header))
    const sum = makeCheck(check)
    for await (const piece of decoder.run()) {
      sum.update(piece)
      yield piece
    }
    const padding = await take(reader, (4 - decoder.consumed % 4) % 4)
    if (padding.some((byte) => byte !== 0)) throw damaged()
    if (bytesToHex(await take(reader, sum.size)) !== sum.digest()) throw damaged()
    blocks++
  }
  await skipIndex(reader, blocks)
  const footer = await take(reader, headerBytes)
  // The checksum precedes the data that it covers.
  const crc = new Crc32()
  crc.update(footer.subarray(4, 10))
  if (new DataView(footer.buffer).getUint32(0, true) !== crc.value) throw damaged()
  if (footer[10] !== 0x59 || footer[11] !== 0x5a || footer[9] !== check) throw damaged()
}

/** Passes over the index; its number of blocks and its checksum must be right. */
const skipIndex = async (reader: ByteReader, blocks: number): Promise<void> => {
  const crc = new Crc32()
  const next = async (count: number): Promise<Uint8Array> => {
    const bytes = await take(reader, count)
    crc.update(bytes)
    return bytes
  }
  const integer = async (): Promise<number> => {
    const bytes: Array<number> = []
    do bytes.push((await next(1))[0] ?? 0)
    while ((bytes.at(-1) ?? 0) > 127 && bytes.length < 9)
    return readInteger(Uint8Array.from(bytes), 0)[0]
  }
  await next(1)
  const count = await integer()
  if (count !== blocks) throw damaged()
  for (let record = 0; record < 2 * count; record++) await integer()
  await next((4 - crc.bytes % 4) % 4)
  const stored = await take(reader, 4)
  if (new DataView(stored.buffer).getUint32(0, true) !== crc.value) throw damaged()
}

/** Decompresses all streams that follow one another, in pieces that are valid until the next one. */
export async function* unxzPieces(reader: ByteReader): AsyncGenerator<Uint8Array> {
  while (await isXz(reader)) {
    yield* streamPieces(reader)
    // Zeroes in groups of four may follow.
    while (await reader.ensure(4) >= 4 && reader.bytes.subarray(reader.at, reader.at + 4).every((byte) => byte === 0)) {
      reader.at += 4
    }
  }
}
