/** Implements the `cksum` utility: the checksum of POSIX. Source: POSIX.1-2024 "cksum". */
import type { Program } from "../../System.ts"
import { defineUtility } from "../shared/defineUtility.ts"

const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24
  for (let bit = 0; bit < 8; bit++) value = value < 0 ? value << 1 ^ 0x04c11db7 : value << 1
  return value
})

const step = (crc: number, byte: number): number => crc << 8 ^ (table[(crc >>> 24 ^ byte) & 255] ?? 0)

/** `cksum [FILE]...`: prints checksums and sizes. Source: cksum(1). */
export const cksum: Program = defineUtility("cksum", "", async (io) => {
  for (const input of io.inputs()) {
    let crc = 0
    let bytes = 0
    for await (const chunk of io.chunks(input)) {
      for (let at = 0; at < chunk.length; at++) crc = step(crc, chunk[at] ?? 0)
      bytes += chunk.length
    }
    if (input.failed) continue
    for (let length = bytes; length > 0; length = Math.floor(length / 256)) crc = step(crc, length & 255)
    const name = io.operands.length === 0 ? "" : ` ${input.path}`
    io.print(`${~crc >>> 0} ${bytes}${name}\n`)
  }
})
