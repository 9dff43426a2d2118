/** Encodes and parses the headers of zip archives. Source: PKWARE's APPNOTE 6.3.10; Info-ZIP's extra field 0x5455. */
import { concatBytes, encodeUtf8, viewOf } from "../../../base/bytes.ts"
import { decodeLossless } from "../../../base/surrogateEscape.ts"
import { strftime } from "../../strftime.ts"
import { parseTime } from "../shared/parseTime.ts"

export class ZipFormatError extends Error {}

/** A member, as the central directory describes it. */
export interface ZipEntry {
  readonly name: string
  /** 0 for stored, 8 for deflated. */
  readonly method: number
  readonly flags: number
  readonly crc: number
  readonly compressed: number
  readonly size: number
  /** Offset of its local header. */
  readonly offset: number
  /** Nanoseconds since 1970. */
  readonly modified: bigint
  /** Type and permissions as in stat(2); 0 if the member was not made on Unix. */
  readonly mode: number
}

export const methods = { stored: 0, deflated: 8 } as const
export const zipFlags = { encrypted: 1, descriptor: 8, utf8: 2_048 } as const
export const modeTypes = { mask: 0o170000, folder: 0o040000, file: 0o100000, link: 0o120000 } as const
export const localHeaderBytes = 30
export const endBytes = 22
export const maxUint32 = 0xffffffff
const centralHeaderBytes = 46
const nanosPerSecond = 1_000_000_000n
export const signatures = {
  local: 0x04034b50,
  central: 0x02014b50,
  end: 0x06054b50,
  descriptor: 0x08074b50,
  locator: 0x07064b50,
  largeEnd: 0x06064b50,
} as const
/** Made by version 3.0 of the format, on Unix. */
const madeBy = 0x031e

/** Date and time as two numbers of 16 bits, in the local zone and even seconds. */
const toDosTime = (time: bigint, zone: string | undefined): readonly [time: number, date: number] => {
  const even = (time / nanosPerSecond + 1n) / 2n * 2n * nanosPerSecond
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = strftime("%Y %m %d %H %M %S", even, zone)
    .split(" ").map(Number)
  if (year < 1980) return [0, 0x21]
  return [hour << 11 | minute << 5 | second >> 1, year - 1980 << 9 | month << 5 | day]
}

const fromDosTime = (time: number, date: number, zone: string | undefined): bigint => {
  const two = (value: number): string => String(value).padStart(2, "0")
  const day = `${1980 + (date >> 9)}-${two(date >> 5 & 15)}-${two(date & 31)}`
  return parseTime(`${day} ${two(time >> 11)}:${two(time >> 5 & 63)}:${two((time & 31) * 2)}`, 0n, zone) ?? 0n
}

/** The extra field with the time in UTC. */
const timeField = (time: bigint): Uint8Array => {
  const view = new DataView(new ArrayBuffer(9))
  view.setUint16(0, 0x5455, true)
  view.setUint16(2, 5, true)
  view.setUint8(4, 1)
  view.setInt32(5, Number(time / nanosPerSecond), true)
  return new Uint8Array(view.buffer)
}

export interface EncodeOptions {
  readonly zone: string | undefined
  /** Leaves out the extra field. */
  readonly plain: boolean
}

/** The 26 bytes that local and central headers share, from the version needed on. */
const sharedPart = (entry: ZipEntry, options: EncodeOptions): Uint8Array => {
  const view = new DataView(new ArrayBuffer(26))
  const [time, date] = toDosTime(entry.modified, options.zone)
  view.setUint16(0, entry.method === methods.deflated ? 20 : 10, true)
  view.setUint16(2, entry.flags, true)
  view.setUint16(4, entry.method, true)
  view.setUint16(6, time, true)
  view.setUint16(8, date, true)
  view.setUint32(10, entry.crc, true)
  view.setUint32(14, entry.compressed, true)
  view.setUint32(18, entry.size, true)
  view.setUint16(22, encodeUtf8(entry.name).length, true)
  view.setUint16(24, options.plain ? 0 : 9, true)
  return new Uint8Array(view.buffer)
}

const signature = (value: number): Uint8Array => {
  const bytes = new Uint8Array(4)
  viewOf(bytes).setUint32(0, value, true)
  return bytes
}

const extraOf = (entry: ZipEntry, options: EncodeOptions): Uint8Array =>
  options.plain ? new Uint8Array(0) : timeField(entry.modified)

export const encodeLocalHeader = (entry: ZipEntry, options: EncodeOptions): Uint8Array =>
  concatBytes([
    signature(signatures.local),
    sharedPart(entry, options),
    encodeUtf8(entry.name),
    extraOf(entry, options),
  ])

/** The data descriptor: sizes and checksum after the data of a member whose local header lacks them. */
export const encodeDescriptor = ({ compressed, crc, size }: ZipEntry): Uint8Array => {
  const bytes = new Uint8Array(16)
  const view = viewOf(bytes)
  ;[signatures.descriptor, crc, compressed, size].forEach((value, at) => view.setUint32(at * 4, value, true))
  return bytes
}

export const encodeCentralHeader = (entry: ZipEntry, options: EncodeOptions): Uint8Array => {
  const head = new Uint8Array(6)
  viewOf(head).setUint32(0, signatures.central, true)
  viewOf(head).setUint16(4, madeBy, true)
  const rest = new Uint8Array(14)
  const isFolder = (entry.mode & modeTypes.mask) === modeTypes.folder
  viewOf(rest).setUint32(6, (entry.mode << 16 | (isFolder ? 16 : 0)) >>> 0, true)
  viewOf(rest).setUint32(10, entry.offset, true)
  return concatBytes([head, sharedPart(entry, options), rest, encodeUtf8(entry.name), extraOf(entry, options)])
}

export const encodeEnd = (count: number, bytes: number, offset: number): Uint8Array => {
  const end = new Uint8Array(endBytes)
  const view = viewOf(end)
  view.setUint32(0, signatures.end, true)
  view.setUint16(8, count, true)
  view.setUint16(10, count, true)
  view.setUint32(12, bytes, true)
  view.setUint32(16, offset, true)
  return end
}

/**
 * Length of the name and the extra field, which precede the data after a local header; -1 if the bytes are not a
 * header.
 */
export const parseLocalHeader = (head: Uint8Array): number => {
  const view = viewOf(head)
  if (head.length < localHeaderBytes || view.getUint32(0, true) !== signatures.local) return -1
  return view.getUint16(26, true) + view.getUint16(28, true)
}

const readTime = (extra: Uint8Array): bigint | undefined => {
  const view = viewOf(extra)
  for (let at = 0; at + 4 <= extra.length;) {
    const [id, length] = [view.getUint16(at, true), view.getUint16(at + 2, true)]
    if (id === 0x5455 && length >= 5 && at + 9 <= extra.length && ((extra[at + 4] ?? 0) & 1) !== 0) {
      return BigInt(view.getInt32(at + 5, true)) * nanosPerSecond
    }
    at += 4 + length
  }
  return undefined
}

/** A number of Zip64. */
export const largeNumber = (view: DataView, at: number): number => {
  const value = view.getBigUint64(at, true)
  if (value > Number.MAX_SAFE_INTEGER) throw new ZipFormatError("the central directory is damaged")
  return Number(value)
}

/** Reads the sizes and the offset of a member; values with more than 32 bits are in a Zip64 field, the size first. */
const readLarge = (extra: Uint8Array, [compressed = 0, size = 0, offset = 0]: ReadonlyArray<number>) => {
  const view = viewOf(extra)
  let field: DataView | undefined
  for (let at = 0; at + 4 <= extra.length; at += 4 + view.getUint16(at + 2, true)) {
    const end = at + 4 + view.getUint16(at + 2, true)
    if (view.getUint16(at, true) === 1 && end <= extra.length) field = viewOf(extra.subarray(at + 4, end))
  }
  let next = 0
  const large = (value: number): number => {
    if (value !== maxUint32) return value
    if (field === undefined || next + 8 > field.byteLength) throw new ZipFormatError("the central directory is damaged")
    next += 8
    return largeNumber(field, next - 8)
  }
  const whole = large(size)
  return [large(compressed), whole, large(offset)] as const
}

/** Parses the central directory. */
export function* parseCentralDirectory(bytes: Uint8Array, zone: string | undefined): Generator<ZipEntry> {
  const view = viewOf(bytes)
  for (let at = 0; at < bytes.length;) {
    if (at + centralHeaderBytes > bytes.length || view.getUint32(at, true) !== signatures.central) {
      throw new ZipFormatError("the central directory is damaged")
    }
    const [nameBytes, extraBytes] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true)]
    const nameEnd = at + centralHeaderBytes + nameBytes
    const next = nameEnd + extraBytes + view.getUint16(at + 32, true)
    if (next > bytes.length) throw new ZipFormatError("the central directory is damaged")
    const sizes = [20, 24, 42].map((field) => view.getUint32(at + field, true))
    const [compressed, size, offset] = readLarge(bytes.subarray(nameEnd, nameEnd + extraBytes), sizes)
    yield {
      name: decodeLossless(bytes.subarray(at + centralHeaderBytes, nameEnd)),
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      compressed,
      size,
      offset,
      modified: readTime(bytes.subarray(nameEnd, nameEnd + extraBytes)) ??
        fromDosTime(view.getUint16(at + 12, true), view.getUint16(at + 14, true), zone),
      mode: view.getUint8(at + 5) === 3 ? view.getUint16(at + 40, true) : 0,
    }
    at = next
  }
}
