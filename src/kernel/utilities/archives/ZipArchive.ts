/** Reads the members of a zip archive, which is a file that can seek. */
import type { UtilityIo } from "../shared/defineUtility.ts"
import { ByteReader } from "./ByteReader.ts"
import { Crc32 } from "./Crc32.ts"
import { inflate, InflateError } from "./inflate.ts"
import {
  type DirectoryLocation,
  isLarge,
  largeEndBytes,
  locatorBytes,
  parseEnd,
  parseLargeEnd,
  parseLocator,
} from "./zipEnd.ts"
import {
  endBytes,
  localHeaderBytes,
  methods,
  parseCentralDirectory,
  parseLocalHeader,
  type ZipEntry,
  zipFlags,
  ZipFormatError,
} from "./zipFormat.ts"

const maxCommentBytes = 65_535
const maxDirectoryBytes = 16 * 1024 * 1024

export class ZipArchive {
  readonly #io: UtilityIo
  readonly #fd: number
  readonly entries: ReadonlyArray<ZipEntry>

  private constructor(io: UtilityIo, fd: number, entries: ReadonlyArray<ZipEntry>) {
    this.#io = io
    this.#fd = fd
    this.entries = entries
  }

  /** Reads the central directory of an open file. */
  static async open(io: UtilityIo, fd: number): Promise<ZipArchive> {
    const size = io.system.seek(fd, 0, 2)
    const tailBytes = Math.min(size, endBytes + maxCommentBytes)
    const tail = size < 0 ? new Uint8Array(0) : await readAt(io, fd, size - tailBytes, tailBytes)
    const small = parseEnd(tail)
    if (small === undefined) throw new ZipFormatError("End-of-central-directory signature not found")
    const endOffset = size - tailBytes + small.at
    const end = isLarge(small) ? await readLargeEnd(io, fd, endOffset) : small
    if (end.bytes > maxDirectoryBytes || end.offset + end.bytes > size) {
      throw new ZipFormatError("the central directory is damaged")
    }
    const entries: Array<ZipEntry> = []
    for (const entry of parseCentralDirectory(await readAt(io, fd, end.offset, end.bytes), io.zone)) {
      entries.push(entry)
      if (entries.length % 256 === 0) await io.flushAndYield()
    }
    return new ZipArchive(io, fd, entries)
  }

  /** The compressed bytes of a member. */
  async #dataOf(entry: ZipEntry): Promise<ByteReader> {
    const skipped = parseLocalHeader(await readAt(this.#io, this.#fd, entry.offset, localHeaderBytes))
    if (skipped < 0) throw new ZipFormatError("bad zipfile offset (local header sig)")
    this.#io.system.seek(this.#fd, entry.offset + localHeaderBytes + skipped, 0)
    let left = entry.compressed
    return new ByteReader(async (into) => {
      if (left === 0) return 0
      const count = await read(this.#io, this.#fd, into.subarray(0, left))
      left -= count
      return count
    }, () => this.#io.flushAndYield())
  }

  async *compressedPieces(entry: ZipEntry): AsyncGenerator<Uint8Array> {
    yield* (await this.#dataOf(entry)).pieces(entry.compressed)
  }

  /** The bytes of a member. Throws if they are not those that were packed. */
  async *pieces(entry: ZipEntry): AsyncGenerator<Uint8Array> {
    if ((entry.flags & zipFlags.encrypted) !== 0) throw new ZipFormatError("encryption is not supported")
    if (entry.method !== methods.stored && entry.method !== methods.deflated) {
      throw new ZipFormatError(`unsupported compression method ${entry.method}`)
    }
    const reader = await this.#dataOf(entry)
    const crc = new Crc32()
    for await (const piece of entry.method === methods.stored ? reader.pieces(entry.compressed) : inflate(reader)) {
      crc.update(piece)
      // The rest of a zip bomb that lies about its size.
      if (crc.bytes > entry.size) throw new InflateError("more bytes than the archive says")
      yield piece
    }
    const [found, expected] = [crc.value, entry.crc].map((value) => value.toString(16).padStart(8, "0"))
    if (found !== expected) throw new InflateError(`bad CRC ${found}  (should be ${expected})`)
  }
}

/** Reads the Zip64 records before the end record. */
const readLargeEnd = async (io: UtilityIo, fd: number, endOffset: number): Promise<DirectoryLocation> => {
  const locator = await readAt(io, fd, Math.max(0, endOffset - locatorBytes), locatorBytes)
  return parseLargeEnd(await readAt(io, fd, parseLocator(locator), largeEndBytes))
}

const read = async (io: UtilityIo, fd: number, into: Uint8Array): Promise<number> => {
  await io.flushAndYield()
  const count = await io.system.read(fd, into)
  return count < 0 ? io.fail("read error", count) : count
}

const readAt = async (io: UtilityIo, fd: number, offset: number, count: number): Promise<Uint8Array> => {
  io.system.seek(fd, offset, 0)
  const bytes = new Uint8Array(count)
  for (let at = 0; at < count;) {
    const got = await read(io, fd, bytes.subarray(at))
    if (got === 0) return bytes.subarray(0, at)
    at += got
  }
  return bytes
}
