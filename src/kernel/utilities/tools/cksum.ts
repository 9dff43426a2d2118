/**
 * Implements the `cksum` and `sum` utilities, which print checksums of POSIX, of BSD and of System V. Source: cksum(1),
 * sum(1).
 */
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

/** `sum [-rs] [FILE]...`: prints checksums of BSD, or with `-s` of System V, and sizes in blocks. Source: sum(1). */
export const sum: Program = defineUtility("sum", "r s|sysv", async (io) => {
  const isSysv = io.lastOf("r", "s")?.[0] === "s"
  for (const input of io.inputs()) {
    let total = 0
    let bytes = 0
    for await (const chunk of io.chunks(input)) {
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at] ?? 0
        total = isSysv ? total + byte : ((total >> 1) + ((total & 1) << 15) + byte) & 0xffff
      }
      bytes += chunk.length
    }
    if (input.failed) continue
    const folded = (total & 0xffff) + Math.floor((total % 2 ** 32) / 0x10000)
    const name = input.path === "-" && io.operands.length === 0 ? "" : ` ${input.path}`
    io.print(
      isSysv
        ? `${(folded & 0xffff) + (folded >>> 16)} ${Math.ceil(bytes / 512)}${name}\n`
        : `${`${total}`.padStart(5, "0")} ${`${Math.ceil(bytes / 1024)}`.padStart(5)}${name}\n`,
    )
  }
})
