/**
 * Reads the map of a sparse member, in the forms of GNU tar: the old one, and those of pax from 0.0 to 1.0. Source: GNU tar's
 * manual, "Storing Sparse Files" and "Basic Tar Format".
 */
import { blockBytes, type Extent, padding, type TarEntry } from "../../fs/tar.ts"
import { parseTarNumber } from "../../fs/tarReader.ts"
import type { ByteReader } from "./ByteReader.ts"

/** Maximum ranges of bytes of a member. */
const maxExtents = 65_536

const decoder = new TextDecoder()

/** A sparse member, and the bytes of its map: of its content, and in blocks before it. */
export interface SparseMember {
  readonly entry: TarEntry
  readonly extents: ReadonlyArray<Extent>
  readonly mapBytes: number
  readonly blocksBytes: number
}

/** The ranges, in order and within the size of the file; those without bytes are left out. */
const extentsOf = (numbers: ReadonlyArray<number>, size: number): ReadonlyArray<Extent> => {
  const extents: Array<Extent> = []
  let end = 0
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    const [offset = 0, length = 0] = numbers.slice(at, at + 2)
    const isValid = Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= end && length >= 0
    if (!isValid || offset + length > size) throw new Error("the map of a sparse file is invalid")
    end = offset + length
    if (length > 0) extents.push({ offset, length })
  }
  return extents
}

/** Numbers in lines at the start of the content: how many ranges, then each. */
const readLines = async (reader: ByteReader): Promise<readonly [numbers: Array<number>, bytes: number]> => {
  let bytes = 0
  const next = async (): Promise<number> => {
    await reader.ensure(24)
    const length = reader.bytes.subarray(reader.at, Math.min(reader.end, reader.at + 24)).indexOf(10)
    const text = length < 0 ? "" : decoder.decode(reader.bytes.subarray(reader.at, reader.at + length))
    if (!/^[0-9]+$/.test(text)) throw new Error("the map of a sparse file is invalid")
    reader.at += length + 1
    bytes += length + 1
    return Number(text)
  }
  const count = await next()
  if (count > maxExtents) throw new Error("a sparse file has too many ranges")
  const numbers: Array<number> = []
  while (numbers.length < 2 * count) numbers.push(await next())
  await reader.skip(padding(bytes).length)
  return [numbers, bytes + padding(bytes).length]
}

/** Pairs of numbers in a header or a block that continues it, and whether another block follows. */
const readPairs = (block: Uint8Array, at: number, count: number): readonly [Array<number>, boolean] => {
  const numbers: Array<number> = []
  for (let pair = 0; pair < count && block[at + pair * 24] !== 0; pair++) {
    for (const field of [0, 12]) numbers.push(parseTarNumber(block, at + pair * 24 + field, 12))
  }
  return [numbers, block[at + count * 24] === 1]
}

/** Returns the member with its real name and size if it is sparse. Throws if its map is damaged. */
export const readSparseMap = async (
  reader: ByteReader,
  head: Uint8Array,
  flag: string,
  entry: TarEntry,
): Promise<SparseMember | undefined> => {
  if (flag === "S") {
    const size = parseTarNumber(head, 483, 12)
    const [numbers, first] = readPairs(head, 386, 4)
    let blocksBytes = 0
    for (let more = first; more;) {
      if (numbers.length > 2 * maxExtents) throw new Error("a sparse file has too many ranges")
      const [next, hasMore] = readPairs(await reader.take(blockBytes), 0, 21)
      for (const number of next) numbers.push(number)
      blocksBytes += blockBytes
      more = hasMore
    }
    const member: TarEntry = { ...entry, size, type: "file" }
    return { entry: member, extents: extentsOf(numbers, size), mapBytes: 0, blocksBytes }
  }
  const { records } = entry
  if (records.get("GNU.sparse.major") === "1") {
    const [numbers, mapBytes] = await readLines(reader)
    return { entry, extents: extentsOf(numbers, entry.size), mapBytes, blocksBytes: 0 }
  }
  const map = records.get("GNU.sparse.map")
  if (map === undefined) return undefined
  const [path, size] = [records.get("GNU.sparse.name") ?? entry.path, Number(records.get("GNU.sparse.size"))]
  if (!Number.isSafeInteger(size) || size < 0) throw new Error("a sparse file has no size")
  const extents = extentsOf(map.split(",").map(Number), size)
  return { entry: { ...entry, path, size }, extents, mapBytes: 0, blocksBytes: 0 }
}
