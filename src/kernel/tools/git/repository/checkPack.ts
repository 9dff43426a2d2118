/**
 * Refuses objects that would need more memory than the sandbox's git may use, and deltas that lead to themselves,
 * before isomorphic-git reads them. isomorphic-git inflates each object whole, whatever its size, and follows circular
 * deltas without end. Source: gitformat-pack(5).
 */
import { viewOf } from "../../../../base/bytes.ts"
import type { System } from "../../../System.ts"
import { ByteReader } from "../../../utilities/archives/ByteReader.ts"
import { inflate, InflateError } from "../../../utilities/archives/inflate.ts"
import { fatal } from "../GitError.ts"

/** Maximum bytes of one object, uncompressed. */
const maxObjectBytes = 134_217_728
/** Maximum bytes of all objects of a pack, uncompressed, with deltas not applied. */
const maxTotalBytes = 2_147_483_648
const maxObjects = 1_000_000

/** Maximum depth of deltas, the same as in git. */
const maxDeltaDepth = 4_096
/** Number of bytes at the start of a delta that contain its two sizes. */
const sizeBytes = 40
/** Maximum compression factor of Deflate. */
const maxDeflateRatio = 1_032

const offsetDelta = 6
const referenceDelta = 7

/** The size of a delta's result: the second number of the delta. */
const resultSize = (delta: Uint8Array): number => {
  let at = 0
  const number = (): number => {
    let [value, scale] = [0, 1]
    for (;;) {
      const byte = delta[at++] ?? 0
      value += (byte & 127) * scale
      scale *= 128
      if ((byte & 128) === 0 || at > 20) return value
    }
  }
  number()
  return number()
}

const readerOf = (system: System, bytes: Uint8Array): readonly [ByteReader, position: () => number] => {
  let given = 0
  const reader = new ByteReader(async (into) => {
    await system.yield()
    const piece = bytes.subarray(given, given + into.length)
    into.set(piece)
    given += piece.length
    return piece.length
  }, () => system.yield())
  return [reader, () => given - (reader.end - reader.at)]
}

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** The objects of a pack by their names in its index. */
const readIndex = (bytes: Uint8Array): ReadonlyMap<string, number> => {
  const view = viewOf(bytes)
  const count = bytes.length < 1_072 || view.getUint32(0) !== 0xff744f63 ? 0 : view.getUint32(1_028)
  if (1_072 + count * 28 > bytes.length) return fatal("the index of a pack is corrupt")
  const [names, offsets] = [1_032, 1_032 + count * 24]
  return new Map(
    Array.from({ length: count }, (_, at) => [
      hex(bytes.subarray(names + at * 20, names + at * 20 + 20)),
      view.getUint32(offsets + at * 4),
    ]),
  )
}

/** Refuses a file of one object that is too large. */
export const checkLoose = async (system: System, bytes: Uint8Array): Promise<void> => {
  if (bytes.length * maxDeflateRatio <= maxObjectBytes) return
  const [reader] = readerOf(system, bytes)
  await reader.skip(2)
  let inflated = 0
  try {
    for await (const piece of inflate(reader)) {
      inflated += piece.length
      if (inflated > maxObjectBytes) {
        fatal(`an object has more than ${maxObjectBytes} bytes, which git would hold in memory`)
      }
      await system.yield()
    }
  } catch (cause) {
    // Damaged data also makes isomorphic-git fail, with its own message.
    if (!(cause instanceof InflateError)) throw cause
  }
}

const knownPacks = new Set<string>()
const maxKnownPacks = 256

/** As {@link checkPack}, but checks each content only once in this program. */
export const checkStoredPack = async (
  system: System,
  pack: Uint8Array<ArrayBuffer>,
  index: Uint8Array<ArrayBuffer>,
): Promise<void> => {
  const digests = await Promise.all([pack, index].map((bytes) => crypto.subtle.digest("SHA-256", bytes)))
  const name = digests.map((digest) => hex(new Uint8Array(digest))).join(" ")
  if (knownPacks.has(name)) return
  await checkPack(system, pack, readIndex(index))
  if (knownPacks.size >= maxKnownPacks) knownPacks.clear()
  knownPacks.add(name)
}

const refuseSize = (size: number): never =>
  fatal(`the pack has an object of ${size} bytes; git of the sandbox takes ${maxObjectBytes}`)

/** With `index`, each of its offsets has to be that of an object. */
export const checkPack = async (
  system: System,
  pack: Uint8Array,
  index?: ReadonlyMap<string, number>,
): Promise<void> => {
  const [reader, position] = readerOf(system, pack)
  /** Offsets of the objects, and the base of a delta. */
  const bases = new Map<number, number | undefined>()
  const byte = async (): Promise<number> => {
    if (await reader.ensure(1) === 0) return fatal("the pack ends early")
    return reader.bytes[reader.at++] ?? 0
  }
  const head = await reader.take(12)
  const count = new DataView(head.buffer, head.byteOffset, head.length).getUint32(8)
  if (count > maxObjects) fatal(`the pack has ${count} objects; git of the sandbox takes ${maxObjects}`)
  let total = 0
  for (let object = 0; object < count; object++) {
    const start = position()
    let base: number | undefined
    let next = await byte()
    const type = next >> 4 & 7
    let [size, scale] = [next & 15, 16]
    while (next >= 128) {
      next = await byte()
      size += (next & 127) * scale
      scale *= 128
    }
    if (size > maxObjectBytes) refuseSize(size)
    if (type === offsetDelta) {
      let part = await byte()
      let distance = part & 127
      while (part >= 128) {
        part = await byte()
        distance = (distance + 1) * 128 + (part & 127)
      }
      base = start - distance
    }
    if (type === referenceDelta) {
      const oid = hex(await reader.take(20))
      // A base outside of the pack could itself be a delta of this object.
      if (index !== undefined) base = index.get(oid) ?? fatal(`the pack lacks ${oid}, the base of a delta`)
    }
    bases.set(start, base)
    const isDelta = type === offsetDelta || type === referenceDelta
    // The header and the checksum of zlib surround the data.
    await reader.skip(2)
    let inflated = 0
    let whole = size
    const begin: Array<number> = []
    for await (const piece of inflate(reader)) {
      if (isDelta && begin.length < sizeBytes) {
        begin.push(...piece.subarray(0, sizeBytes))
        whole = Math.max(size, resultSize(Uint8Array.from(begin)))
      }
      inflated += piece.length
      if (inflated > size) return fatal("the pack has an object that is larger than it says")
      await system.yield()
    }
    await reader.skip(4)
    total += whole
    if (whole > maxObjectBytes) refuseSize(whole)
    if (total > maxTotalBytes) fatal(`the objects of the pack are larger than ${maxTotalBytes} bytes together`)
  }
  for (const offset of index?.values() ?? []) {
    if (!bases.has(offset)) return fatal("the index of a pack names an object that the pack does not have")
  }
  await checkDepths(system, bases)
}

/** Refuses deltas whose bases lead to themselves, or through too many others. */
const checkDepths = async (system: System, bases: ReadonlyMap<number, number | undefined>): Promise<void> => {
  const depths = new Map<number, number>()
  for (const start of bases.keys()) {
    const chain: Array<number> = []
    let at: number | undefined = start
    while (at !== undefined && !depths.has(at)) {
      if (!bases.has(at)) return fatal("the pack has a delta whose base is no object")
      chain.push(at)
      if (chain.length > maxDeltaDepth) return fatal(`the pack has a chain of more than ${maxDeltaDepth} deltas`)
      at = bases.get(at)
    }
    let depth = at === undefined ? 0 : depths.get(at) ?? 0
    for (const each of chain.reverse()) depths.set(each, depth++)
    if (depth > maxDeltaDepth) return fatal(`the pack has a chain of more than ${maxDeltaDepth} deltas`)
    if (depths.size % 1_024 === 0) await system.yield()
  }
}
