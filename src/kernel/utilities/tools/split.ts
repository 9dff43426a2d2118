/** Implements the `split` utility, which splits a file by a number of lines or bytes into new files. */
import { FileType } from "../../Stat.ts"
import type { Program } from "../../System.ts"
import { binaryToBytes } from "../../binaryString.ts"
import type { Input } from "../shared/Input.ts"
import { parseSize } from "../shared/quantities.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"

/**
 * `split [-l N | -b SIZE | -n [l/]N] [-a N] [-d] [--additional-suffix=S] [FILE [PREFIX]]`: splits a file. Source: split(1).
 */
export const split: Program = defineUtility(
  "split",
  "l|lines: b|bytes: n|number: a|suffix-length: d|numeric-suffixes additional-suffix: verbose",
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
    const chunks = io.value("n")
    if (chunks !== undefined) return await splitToChunks(io, input, prefix, chunks)
    let piece = 0
    let fd = -1
    let left = 0
    const write = async (data: Uint8Array): Promise<void> => {
      const written = await system.writeAll(fd, data)
      if (written < 0) io.fail("write error", written)
    }
    const openPiece = (): void => {
      if (fd >= 0) system.close(fd)
      fd = createPiece(io, prefix, piece++)
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

const createPiece = (io: UtilityIo, prefix: string, piece: number): number => {
  const path = prefix + formatSuffix(io, piece) + (io.value("additional-suffix") ?? "")
  if (io.has("verbose")) io.print(`creating file '${path}'\n`)
  const fd = io.system.open(path, { create: true, truncate: true, write: true })
  return fd < 0 ? io.fail(path, fd) : fd
}

/** Splits a file into a number of pieces of the same size, or at the lines that are next to their ends. */
const splitToChunks = async (io: UtilityIo, input: Input, prefix: string, text: string): Promise<void> => {
  const { system } = io
  const [, byLines, digits = ""] = /^(l\/)?([1-9][0-9]*)$/.exec(text) ?? io.fail(`invalid number of chunks: ‘${text}’`)
  const count = Number(digits)
  const stat = system.fstat(input.fd)
  const isFile = typeof stat === "object" && stat.type === FileType.regularFile
  if (!isFile) return io.fail("-n needs a file, whose size is known")
  const chunkBytes = Math.max(1, Math.floor(stat.size / count))
  // The last piece has the rest.
  const endOf = (piece: number): number => piece === count - 1 ? Infinity : chunkBytes * (piece + 1)
  let piece = 0
  let at = 0
  let fd = createPiece(io, prefix, piece)
  const next = (): void => {
    system.close(fd)
    fd = createPiece(io, prefix, ++piece)
  }
  const write = async (data: Uint8Array): Promise<void> => {
    const written = await system.writeAll(fd, data)
    if (written < 0) io.fail("write error", written)
    at += data.length
  }
  if (byLines === undefined) {
    for await (const chunk of io.chunks(input)) {
      for (let from = 0; from < chunk.length;) {
        while (at >= endOf(piece)) next()
        const size = Math.min(endOf(piece) - at, chunk.length - from)
        await write(chunk.subarray(from, from + size))
        from += size
      }
    }
  } else {
    // A line belongs to the piece in which it begins.
    await io.forEachLine([input], async (line) => {
      while (at >= endOf(piece)) next()
      await write(binaryToBytes(input.terminated ? `${line}\n` : line))
    })
  }
  while (piece < count - 1) next()
  system.close(fd)
}

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
