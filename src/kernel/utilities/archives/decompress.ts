/** Implements `bunzip2`, `bzcat`, `bzip2 -d`, `unxz`, `xzcat` and `xz -d`, which decompress files. */
import { FileType } from "../../Stat.ts"
import type { Program } from "../../System.ts"
import { Input } from "../shared/Input.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { bunzip2Pieces, isBzip2 } from "./bunzip2.ts"
import { type ByteReader, readerOf } from "./ByteReader.ts"
import { hasGarbage, type Sink } from "./gzipFormat.ts"
import { InflateError } from "./inflate.ts"
import { isXz, unxzPieces } from "./unxz.ts"

/** A compressed format: its signature and its reader. */
interface Decompression {
  readonly suffixes: ReadonlyArray<readonly [suffix: string, replacement: string]>
  readonly matches: (reader: ByteReader) => Promise<boolean>
  readonly pieces: (reader: ByteReader) => AsyncGenerator<Uint8Array>
  /** The message after the name of a file of another format; exit codes of damaged files and of wrong names. */
  readonly complaint: string
  readonly damagedCode: number
  /** The name for a file without a known suffix; `undefined` if it is left alone. */
  readonly otherwise: ((path: string) => string) | undefined
}

const bzip2Format: Decompression = {
  suffixes: [[".bz2", ""], [".bz", ""], [".tbz2", ".tar"], [".tbz", ".tar"]],
  matches: isBzip2,
  pieces: bunzip2Pieces,
  complaint: "not a bzip2 file",
  damagedCode: 2,
  otherwise: (path) => `${path}.out`,
}

const xzFormat: Decompression = {
  suffixes: [[".xz", ""], [".txz", ".tar"]],
  matches: isXz,
  pieces: unxzPieces,
  complaint: "File format not recognized",
  damagedCode: 1,
  otherwise: undefined,
}

const fail = (io: UtilityIo, message: string, exitCode: number): false => {
  io.printError(message)
  io.exitCode = Math.max(io.exitCode, exitCode)
  return false
}

const spec = "c|stdout|to-stdout d|decompress|uncompress f|force k|keep t|test q|quiet v|verbose z|compress"

const makeDecompressor = (name: string, format: Decompression): Program =>
  defineUtility(name, spec, async (io) => {
    const compresses = name === "bzip2" || name === "xz" ? !io.has("d") && !io.has("t") : io.has("z")
    if (compresses) io.fail("compression is not supported: use gzip, or -d to decompress")
    for (const path of io.operandsOr("-")) {
      if (path === "-") await decompress(io, format, 0, "(stdin)", writeTo(io, 1))
      else await processPath(io, format, path)
      await io.flushAndYield()
    }
  })

const writeTo = (io: UtilityIo, fd: number): Sink => async (bytes) => {
  await io.flushAndYield()
  const written = io.has("t") ? 0 : await io.system.writeAll(fd, bytes)
  if (written < 0) io.fail("write error", written)
}

const processPath = async (io: UtilityIo, format: Decompression, path: string): Promise<void> => {
  const { system } = io
  const toStdout = io.has("c") || io.has("t") || io.name.endsWith("cat")
  const stat = system.stat(path, { follow: toStdout || io.has("f") })
  if (typeof stat === "number") return io.warn(path, stat)
  if (stat.type !== FileType.regularFile) {
    if (stat.type === FileType.directory || !toStdout) return void fail(io, `${path}: Not a regular file, skipping`, 1)
  }
  const found = format.suffixes.find(([suffix]) => path.endsWith(suffix) && path.length > suffix.length)
  const to = found === undefined ? format.otherwise?.(path) : path.slice(0, -found[0].length) + found[1]
  if (!toStdout && to === undefined) return void fail(io, `${path}: Filename has an unknown suffix, skipping`, 2)
  if (!toStdout && found === undefined) io.printError(`Can't guess original name for ${path} -- using ${to}`)
  const fd = system.open(path, { read: true })
  if (fd < 0) return io.warn(path, fd)
  try {
    if (toStdout || to === undefined) return void await decompress(io, format, fd, path, writeTo(io, 1))
    if (io.has("f")) system.unlink(to)
    const target = system.open(to, { write: true, create: true, exclusive: true, mode: stat.mode & 0o777 })
    if (target < 0) return io.warn(to, target)
    let isDone = false
    try {
      isDone = await decompress(io, format, fd, path, writeTo(io, target))
    } finally {
      system.close(target)
      if (!isDone) system.unlink(to)
    }
    if (!isDone) return
    system.setMode(to, stat.mode)
    system.setTimes(to, stat.accessed, stat.modified)
    if (!io.has("k")) system.unlink(path)
  } finally {
    system.close(fd)
  }
}

/** Returns whether all was decompressed; failures are reported. */
const decompress = async (
  io: UtilityIo,
  format: Decompression,
  fd: number,
  label: string,
  write: Sink,
): Promise<boolean> => {
  const input = new Input(io, fd, label)
  const reader = readerOf(io, input)
  try {
    if (!await format.matches(reader)) {
      const isEmpty = await reader.ensure(1) === 0
      if (isEmpty && format === xzFormat) return fail(io, `${label}: Unexpected end of input`, 1)
      if (io.has("f") && io.name.endsWith("cat")) {
        for await (const piece of reader.pieces(Infinity)) await write(piece)
        return true
      }
      return fail(io, `${label}: ${format.complaint}`, format.damagedCode)
    }
    for await (const piece of format.pieces(reader)) await write(piece)
    if (input.failed) return false
    if (await reader.ensure(1) > 0) {
      if (format === xzFormat) return fail(io, `${label}: File format not recognized`, 1)
      if (await hasGarbage(reader) && !io.has("q")) io.printError(`${label}: trailing garbage after EOF ignored`)
    }
    if (io.has("v")) io.err.putText(`  ${label}: ${io.has("t") ? "ok" : "done"}\n`)
    return true
  } catch (cause) {
    if (!(cause instanceof InflateError)) throw cause
    return fail(io, `${label}: ${cause.message}`, format.damagedCode)
  }
}

/** `bzip2 -d [-cfktqv] [FILE]...`: decompresses files. Source: bzip2(1). */
export const bzip2: Program = makeDecompressor("bzip2", bzip2Format)

/** `bunzip2`: `bzip2 -d`. */
export const bunzip2: Program = makeDecompressor("bunzip2", bzip2Format)

/** `bzcat`: `bzip2 -cd`. */
export const bzcat: Program = makeDecompressor("bzcat", bzip2Format)

/** `xz -d [-cfktqv] [FILE]...`: decompresses files. Source: xz(1). */
export const xz: Program = makeDecompressor("xz", xzFormat)

/** `unxz`: `xz -d`. */
export const unxz: Program = makeDecompressor("unxz", xzFormat)

/** `xzcat`: `xz -cd`. */
export const xzcat: Program = makeDecompressor("xzcat", xzFormat)
