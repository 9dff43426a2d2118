/**
 * Refuses a pack whose objects would need more memory than git of the sandbox may use, before isomorphic-git unpacks it: that
 * inflates each object whole, whatever its size. Source: gitformat-pack(5).
 */
import type { System } from "../../System.ts"
import { ByteReader } from "../../utilities/archives/ByteReader.ts"
import { inflate } from "../../utilities/archives/inflate.ts"
import { fatal } from "./GitError.ts"

/** Bytes of one object, uncompressed. */
const maxObjectBytes = 134_217_728
/** Bytes of all objects of a pack, uncompressed, deltas as they are. */
const maxTotalBytes = 2_147_483_648
const maxObjects = 1_000_000

const offsetDelta = 6
const referenceDelta = 7

/** The size that a delta's result has: the second number of the delta. */
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

export const checkPack = async (system: System, pack: Uint8Array): Promise<void> => {
  let given = 0
  const reader = new ByteReader(async (into) => {
    await system.yield()
    const piece = pack.subarray(given, given + into.length)
    into.set(piece)
    given += piece.length
    return piece.length
  }, () => system.yield())
  const byte = async (): Promise<number> => {
    if (await reader.ensure(1) === 0) return fatal("the pack ends early")
    return reader.bytes[reader.at++] ?? 0
  }
  const head = await reader.take(12)
  const count = new DataView(head.buffer, head.byteOffset, head.length).getUint32(8)
  if (count > maxObjects) fatal(`the pack has ${count} objects; git of the sandbox takes ${maxObjects}`)
  let total = 0
  for (let object = 0; object < count; object++) {
    let next = await byte()
    const type = next >> 4 & 7
    let [size, scale] = [next & 15, 16]
    while (next >= 128) {
      next = await byte()
      size += (next & 127) * scale
      scale *= 128
    }
    if (type === offsetDelta) { while (await byte() >= 128) continue }
    if (type === referenceDelta) await reader.skip(20)
    const isDelta = type === offsetDelta || type === referenceDelta
    // Around the data are the header and the checksum of zlib.
    await reader.skip(2)
    let inflated = 0
    let whole = size
    for await (const piece of inflate(reader)) {
      if (isDelta && inflated === 0) whole = Math.max(whole, resultSize(piece))
      inflated += piece.length
      if (inflated > size) return fatal("the pack has an object that is larger than it says")
      await system.yield()
    }
    await reader.skip(4)
    total += whole
    if (whole > maxObjectBytes) {
      fatal(`the pack has an object of ${whole} bytes; git of the sandbox takes ${maxObjectBytes}`)
    }
    if (total > maxTotalBytes) fatal(`the objects of the pack are larger than ${maxTotalBytes} bytes together`)
  }
}
