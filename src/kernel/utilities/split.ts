/** Implements the `split` utility, which splits a file by a number of lines or bytes into new files. */
import type { Program } from "../System.ts"
import { binaryToBytes } from "../binaryString.ts"
import { parseSize } from "./shared/quantities.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"

/**
 * `split [-l N | -b SIZE] [-a N] [-d] [--additional-suffix=S] [FILE [PREFIX]]`: splits a file. Source: split(1).
 */
export const split: Program = defineUtility(
  "split",
  "l|lines: b|bytes: a|suffix-length: d|numeric-suffixes additional-suffix: verbose",
  async (io) => {
    const { system } = io
    const size = (name: string): number | undefined => {
      const text = io.value(name)
      return text === undefined ? undefined : parseSize(text) || io.fail(`invalid number: ‘${text}’`)
    }
    const bytes = size("b")
    const lines = size("l") ?? 1000
    const prefix = io.operands[1] ?? "x"
    const input = io.openInput(io.operands[0] ?? "-")
    if (input === undefined) return
    let piece = 0
    let fd = -1
    let left = 0
    const write = async (data: Uint8Array): Promise<void> => {
      const written = await system.writeAll(fd, data)
      if (written < 0) io.fail("write error", written)
    }
    const openPiece = (): void => {
      if (fd >= 0) system.close(fd)
      const path = prefix + formatSuffix(io, piece++) + (io.value("additional-suffix") ?? "")
      if (io.has("verbose")) io.print(`creating file '${path}'\n`)
      fd = system.open(path, { create: true, truncate: true, write: true })
      if (fd < 0) io.fail(path, fd)
      left = bytes ?? lines
    }
    if (bytes !== undefined) {
      for await (const chunk of io.chunks(input)) {
        for (let at = 0, size = 0; at < chunk.length; at += size) {
          if (left === 0) openPiece()
          size = Math.min(left, chunk.length - at)
          await write(chunk.subarray(at, at + size))
          left -= size
        }
      }
    } else {
      await io.forEachLine([input], async (line) => {
        if (left === 0) openPiece()
        left--
        await write(binaryToBytes(input.terminated ? `${line}\n` : line))
      })
    }
    if (fd >= 0) system.close(fd)
  },
)

const formatSuffix = (io: UtilityIo, piece: number): string => {
  const length = Number(io.value("a") ?? "2")
  if (!(length > 0 && length <= 255)) return io.fail(`invalid suffix length: ‘${io.value("a") ?? ""}’`)
  const base = io.has("d") ? 10 : 26
  if (piece >= base ** length) return io.fail("output file suffixes exhausted")
  let out = ""
  for (let value = piece, at = 0; at < length; at++, value = Math.floor(value / base)) {
    out = String.fromCharCode((base === 10 ? 48 : 97) + value % base) + out
  }
  return out
}
