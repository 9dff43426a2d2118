/** Implements the `gzip`, `gunzip` and `zcat` utilities. */
import { binaryToText, textToBinary } from "../../binaryString.ts"
import { Errno } from "../../Errno.ts"
import { FileType, type Stat } from "../../Stat.ts"
import { strftime } from "../../strftime.ts"
import type { Program } from "../../System.ts"
import type { Input } from "../shared/Input.ts"
import { baseName, dirName, joinPath } from "../shared/paths.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { walk } from "../shared/walk.ts"
import { type ByteReader, readerOf } from "./ByteReader.ts"
import {
  gunzipPieces,
  type GzipHeader,
  GzipWriter,
  hasGarbage,
  isGzip,
  levels,
  memberPieces,
  readHeader,
  type Sink,
} from "./gzipFormat.ts"
import { InflateError } from "./inflate.ts"

const spec = "a|ascii c|stdout|to-stdout d|decompress|uncompress f|force k|keep l|list n|no-name N|name q|quiet " +
  "r|recursive S|suffix: t|test v|verbose 1|fast 2 3 4 5 6 7 8 9|best"

const nanosPerSecond = 1_000_000_000n

/** Reports a file that is damaged, after an empty line. */
const failDamaged = (io: UtilityIo, message: string): false => {
  io.err.putText("\n")
  io.warn(message)
  return false
}

/** Reports a condition that is not an error: gzip's exit code 2. */
const warn = (io: UtilityIo, message: string): void => {
  if (!io.has("q")) io.printError(message)
  if (io.exitCode === 0) io.exitCode = 2
}

const isDecompressing = (io: UtilityIo): boolean => io.name !== "gzip" || io.has("d") || io.has("l") || io.has("t")

const isToStdout = (io: UtilityIo): boolean => io.name === "zcat" || io.has("c")

const suffixOf = (io: UtilityIo): string => io.value("S") ?? ".gz"

/** The name without its suffix; `undefined` if it has none. */
const stripSuffix = (io: UtilityIo, path: string): string | undefined => {
  for (const suffix of [suffixOf(io), ".gz", "-gz", ".z", "-z", "_z"]) {
    if (path.toLowerCase().endsWith(suffix.toLowerCase()) && baseName(path).length > suffix.length) {
      return path.slice(0, -suffix.length)
    }
  }
  return /\.t[ag]z$/i.test(path) ? path.replace(/\.t[ag]z$/i, ".tar") : undefined
}

const makeGzip = (name: string): Program =>
  defineUtility(name, spec, async (io) => {
    if (io.has("a")) io.fail("option -a is not supported: lines end as they are")
    const list = new Listing(io)
    for (const path of io.operandsOr("-")) {
      if (path === "-") await processStdin(io, list)
      else await processPath(io, path, list)
      await io.flushAndYield()
    }
    list.end()
  })

/** `gzip [-cdfklnNqrtv1-9] [-S SUFFIX] [FILE]...`: compresses or decompresses files. Source: gzip(1). */
export const gzip: Program = makeGzip("gzip")

/** `gunzip`: `gzip -d`. */
export const gunzip: Program = makeGzip("gunzip")

/** `zcat`: `gzip -cd`. */
export const zcat: Program = makeGzip("zcat")

const processStdin = async (io: UtilityIo, list: Listing): Promise<void> => {
  const input = io.openInput("-")
  if (input === undefined) return
  const stat = io.system.fstat(0)
  const isFile = typeof stat === "object" && stat.type === FileType.regularFile
  const time = isFile && !io.has("n") ? Number(stat.modified / nanosPerSecond) : 0
  await convert(io, input, "stdin", writeTo(io, 1), { modified: time, name: "" }, list)
}

const processPath = async (io: UtilityIo, path: string, list: Listing): Promise<void> => {
  const { system } = io
  const decompressing = isDecompressing(io)
  let from = path
  let stat = system.stat(from)
  if (stat === -Errno.ENOENT && decompressing && stripSuffix(io, path) === undefined) {
    const other = system.stat(path + suffixOf(io))
    if (typeof other === "object") [from, stat] = [path + suffixOf(io), other]
    else return io.warn(path + suffixOf(io), other)
  }
  if (typeof stat === "number") return io.warn(from, stat)
  if (stat.type === FileType.directory) {
    if (!io.has("r")) return warn(io, `${from} is a directory -- ignored`)
    const found: Array<string> = []
    for await (const entry of walk(io, from, {})) {
      if (entry.stat.type === FileType.regularFile) found.push(entry.path)
    }
    for (const each of found) await processPath(io, each, list)
    return
  }
  const reading = isToStdout(io) || io.has("l") || io.has("t")
  const link = system.stat(from, { follow: false })
  if (!reading && !io.has("f")) {
    if (typeof link === "object" && link.type === FileType.symbolicLink) return io.warn(from, -Errno.ELOOP)
    if (stat.links > 1) {
      return warn(io, `${from} has ${stat.links - 1} other link${stat.links === 2 ? " " : "s"} -- unchanged`)
    }
  }
  const stripped = stripSuffix(io, from)
  if (!reading && decompressing && stripped === undefined) {
    return io.has("r") ? undefined : warn(io, `${from}: unknown suffix -- ignored`)
  }
  if (!reading && !decompressing && from.toLowerCase().endsWith(suffixOf(io).toLowerCase())) {
    return io.has("r") ? undefined : warn(io, `${from} already has ${suffixOf(io)} suffix -- unchanged`)
  }
  const input = io.openInput(from)
  if (input === undefined) return
  const header = {
    name: io.has("n") ? "" : textToBinary(baseName(from)),
    modified: io.has("n") ? 0 : Math.max(0, Number(stat.modified / nanosPerSecond)) % 2 ** 32,
  }
  if (reading) await convert(io, input, from, writeTo(io, 1), header, list)
  else await replace(io, input, from, decompressing ? stripped ?? from : from + suffixOf(io), stat, header, list)
  input.close()
}

const writeTo = (io: UtilityIo, fd: number): Sink => async (bytes) => {
  await io.flushAndYield()
  const written = await io.system.writeAll(fd, bytes)
  if (written < 0) io.fail(fd === 1 ? "stdout" : "write error", written)
}

/** Writes the result next to a file, with its mode and times, and removes the file. */
const replace = async (
  io: UtilityIo,
  input: Input,
  from: string,
  to: string,
  stat: Stat,
  header: GzipHeader,
  list: Listing,
): Promise<void> => {
  const { system } = io
  let target = to
  let time = stat.modified
  if (isDecompressing(io) && io.has("N")) {
    const reader = readerOf(io, input)
    const stored = await isGzip(reader) ? await readHeader(reader).catch(ignoreDamage) : undefined
    if (stored !== undefined && stored.name !== "") {
      // The stored name may hold a path.
      target = joinPath(dirName(from), baseName(binaryToText(stored.name)))
    }
    if (stored !== undefined && stored.modified > 0) time = BigInt(stored.modified) * nanosPerSecond
    system.seek(input.fd, 0, 0)
  }
  if (io.has("f")) system.unlink(target)
  const fd = system.open(target, { write: true, create: true, exclusive: true, mode: stat.mode & 0o777 })
  if (fd === -Errno.EEXIST) return warn(io, `${target} already exists;\tnot overwritten`)
  if (fd < 0) return io.warn(target, fd)
  let isDone = false
  try {
    isDone = await convert(io, input, from, writeTo(io, fd), header, list, target)
  } finally {
    system.close(fd)
    if (!isDone) system.unlink(target)
  }
  if (!isDone) return
  system.setMode(target, stat.mode)
  system.setTimes(target, stat.accessed, time)
  if (!io.has("k")) system.unlink(from)
}

const ignoreDamage = (cause: unknown): undefined => {
  if (!(cause instanceof InflateError)) throw cause
}

/** Compresses, decompresses, tests or lists one file. Returns whether that went well; failures are reported. */
const convert = async (
  io: UtilityIo,
  input: Input,
  label: string,
  write: Sink,
  header: GzipHeader,
  list: Listing,
  target?: string,
): Promise<boolean> => {
  const tell = (bytesIn: number, bytesOut: number): void => {
    if (!io.has("v") || io.has("l")) return
    const end = target === undefined ? "" : ` -- ${io.has("k") ? "created" : "replaced with"} ${target}`
    io.err.putText(`${label}:\t${io.has("t") ? " OK" : ratio(bytesIn, bytesOut) + end}\n`)
  }
  const reader = readerOf(io, input, label)
  if (!isDecompressing(io)) {
    const level = levels.find((each) => each > 0 && io.lastOf(..."123456789")?.[0] === `${each}`) ?? 6
    const writer = new GzipWriter(header, level, write)
    await writer.start()
    for await (const piece of reader.pieces(Infinity)) await writer.push(piece)
    if (input.failed) return false
    await writer.end()
    tell(writer.bytesIn, writer.bytesOut - 18 - header.name.length)
    return true
  }
  if (!await isGzip(reader)) {
    const isEmpty = await reader.ensure(1) === 0
    if (isToStdout(io) && io.has("f") && !io.has("t") && !io.has("l")) {
      for await (const piece of reader.pieces(Infinity)) await write(piece)
      return true
    }
    return !input.failed && failDamaged(io, `${label}: ${isEmpty ? "unexpected end of file" : "not in gzip format"}`)
  }
  if (io.has("l")) return await list.add(input, reader, label)
  let written = 0
  const isTest = io.has("t")
  try {
    for await (const bytes of gunzipPieces(reader)) {
      written += bytes.length
      if (isTest) await io.flushAndYield()
      else await write(bytes)
    }
    if (input.failed) return false
    if (await hasGarbage(reader)) warn(io, `${label}: decompression OK, trailing garbage ignored`)
    const stat = io.system.fstat(input.fd)
    tell(written, (typeof stat === "object" ? stat.size : 0) - 18)
    return true
  } catch (cause) {
    if (!(cause instanceof InflateError)) throw cause
    return failDamaged(io, `${label}: ${cause.message}`)
  }
}

const ratio = (original: number, compressed: number): string =>
  `${(original === 0 ? 0 : 100 * (original - compressed) / original).toFixed(1)}%`.padStart(6)

/** The table of `-l`. */
class Listing {
  readonly #io: UtilityIo
  #rows = 0
  #bytesIn = 0
  #bytesOut = 0
  /** Bytes of the last member's header and trailer, as gzip counts them. */
  #overhead = 0

  constructor(io: UtilityIo) {
    this.#io = io
  }

  async add(input: Input, reader: ByteReader, label: string): Promise<boolean> {
    const io = this.#io
    try {
      let header: GzipHeader | undefined
      let original = 0
      let crc = 0
      let members = 0
      while (await isGzip(reader)) {
        // As in gzip, only the last of several members counts.
        const one = await readHeader(reader)
        header = { modified: one.modified, name: header?.name ?? one.name }
        members++
        original = 0
        for await (const bytes of memberPieces(reader)) {
          original += bytes.length
          await io.flushAndYield()
        }
        crc = new DataView(reader.bytes.buffer).getUint32(reader.at - 8, true)
      }
      const stat = io.system.fstat(input.fd)
      const compressed = typeof stat === "object" && stat.type === FileType.regularFile ? stat.size : -1
      const names = { stored: header?.name ?? "", modified: header?.modified ?? 0 }
      const overhead = members > 1 ? 0 : 18 + (names.stored === "" ? 0 : names.stored.length + 1)
      this.#print(label, original, compressed, overhead, crc, names)
      return true
    } catch (cause) {
      if (!(cause instanceof InflateError)) throw cause
      return failDamaged(io, `${label}: ${cause.message}`)
    }
  }

  #print(
    label: string,
    original: number,
    compressed: number,
    overhead: number,
    crc: number,
    header: { readonly stored: string; readonly modified: number },
  ): void {
    const io = this.#io
    const verbose = io.has("v")
    if (this.#rows++ === 0 && !io.has("q")) {
      io.print(
        `${
          verbose ? "method  crc     date  time  " : ""
        }         compressed        uncompressed  ratio uncompressed_name\n`,
      )
    }
    if (verbose) {
      const time = header.modified > 0 && !io.has("n") ? BigInt(header.modified) * nanosPerSecond : timeOf(io, label)
      io.print(`defla ${crc.toString(16).padStart(8, "0")} ${strftime("%b %e %H:%M", time, io.zone)} `)
    }
    const name = io.has("N") && header.stored !== "" ? binaryToText(header.stored) : stripSuffix(io, label) ?? label
    this.#bytesIn += original
    this.#bytesOut += compressed
    this.#overhead = overhead
    io.print(`${this.#sizes(compressed, original, compressed - overhead)} ${name}\n`)
  }

  #sizes(compressed: number, original: number, data: number): string {
    return `${compressed}`.padStart(19) + `${original}`.padStart(20) + ` ${ratio(original, data)}`
  }

  end(): void {
    const io = this.#io
    if (this.#rows < 2 || io.has("q")) return
    io.print(
      `${io.has("v") ? " ".repeat(28) : ""}${
        this.#sizes(this.#bytesOut, this.#bytesIn, this.#bytesOut - this.#overhead)
      } (totals)\n`,
    )
  }
}

const timeOf = (io: UtilityIo, path: string): bigint => {
  const stat = io.system.stat(path)
  return typeof stat === "object" ? stat.modified : io.system.now()
}
