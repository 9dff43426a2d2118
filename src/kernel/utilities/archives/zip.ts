/** Implements the `zip` utility. */
import { concatBytes, encodeUtf8 } from "../../../base/bytes.ts"
import { FileType, type Stat } from "../../Stat.ts"
import type { Program } from "../../System.ts"
import { compileGlob } from "../shared/compileGlob.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { baseName, joinPath } from "../shared/paths.ts"
import { stripEnd } from "../shared/strip.ts"
import { removeTree } from "../rm.ts"
import { Crc32 } from "./Crc32.ts"
import { Deflater, levels, type Sink } from "./gzipFormat.ts"
import { rewriteArgs } from "./unzip.ts"
import { ZipArchive } from "./ZipArchive.ts"
import {
  encodeCentralHeader,
  encodeDescriptor,
  encodeEnd,
  encodeLocalHeader,
  methods,
  modeTypes,
  type ZipEntry,
  zipFlags,
  ZipFormatError,
} from "./zipFormat.ts"

/** Maximum size of files that are compressed in memory, and stored uncompressed if that is smaller. */
const maxHeldBytes = 262_144
const maxTreeDepth = 512

/** A file to pack. */
interface Source {
  /** `-` is standard input. */
  readonly path: string
  readonly name: string
  readonly stat: Stat
}

/** `zip [-drjqmyXD0-9] ARCHIVE FILE... [-x NAME...] [-i NAME...]`: packs files into a zip archive. Source: zip(1). */
export const zip: Program = defineUtility(
  "zip",
  "r|recurse-paths d|delete j|junk-paths q|quiet m|move y|symlinks X|no-extra D|no-dir-entries x|exclude: i|include: " +
    "0 1 2 3 4 5 6 7 8 9",
  async (io) => {
    const [given = "", ...paths] = io.operands
    const archive = given === "-" || baseName(given).includes(".") ? given : `${given}.zip`
    const sources = io.has("d") ? new Map<string, Source>() : await findSources(io, paths)
    const isDeleted = await deletionOf(io, archive, paths)
    if (isDeleted === undefined ? sources.size === 0 : isDeleted.size === 0) {
      io.print(`\nzip error: Nothing to do! (${archive})\n`)
      return 12
    }
    const target = archive === "-" ? undefined : `${archive}.${io.system.pid}.tmp`
    const fd = target === undefined ? 1 : io.system.open(target, { create: true, exclusive: true, write: true })
    if (fd < 0) io.fail(`could not open for writing: ${archive}`, fd)
    try {
      const old = archive === "-" ? undefined : await openOld(io, archive)
      const writer = new ZipWriter(io, fd)
      for (const entry of old?.entries ?? []) {
        if (isDeleted?.has(entry.name) === true) {
          if (!io.has("q")) io.print(`deleting: ${entry.name}\n`)
          continue
        }
        const source = sources.get(entry.name)
        if (source === undefined) await writer.copy(entry, old)
        else await writer.add(source, "updating")
        sources.delete(entry.name)
      }
      if (isDeleted !== undefined && isDeleted.size === old?.entries.length && !io.has("q")) {
        io.print("\tzip warning: zip file empty\n")
      }
      const added = [...sources.values()]
      for (const source of added) await writer.add(source, "  adding")
      await writer.end()
    } catch (cause) {
      if (target !== undefined) io.system.unlink(target)
      throw cause instanceof ZipFormatError ? io.fail(`${archive}: ${cause.message}`) : cause
    }
    if (target === undefined) return io.exitCode
    io.system.close(fd)
    const renamed = io.system.rename(target, archive)
    if (renamed < 0) io.fail(`could not replace ${archive}`, renamed)
    if (io.has("m")) { for (const path of paths) await removeTree(io, path, { recursive: true, verbose: false }) }
    return io.exitCode
  },
  { minOperands: 1, rewriteArgs },
)

/** The names of members that `-d` removes; `undefined` without it. */
const deletionOf = async (
  io: UtilityIo,
  archive: string,
  patterns: ReadonlyArray<string>,
): Promise<ReadonlySet<string> | undefined> => {
  if (!io.has("d")) return undefined
  const fd = io.system.open(archive, { read: true })
  if (fd < 0) {
    io.print(`\tzip warning: ${archive} not found or empty\n`)
    return new Set()
  }
  const found = new Set<string>()
  try {
    const names = (await ZipArchive.open(io, fd)).entries.map(({ name }) => name)
    if (names.length === 0) io.print(`\tzip warning: ${archive} not found or empty\n`)
    for (const pattern of patterns) {
      const test = compileGlob(pattern)
      const matched = names.filter((name) => test(name))
      if (matched.length === 0) warnUnmatched(io, pattern)
      for (const name of matched) found.add(name)
      await io.flushAndYield()
    }
  } catch (cause) {
    throw cause instanceof ZipFormatError ? io.fail(`${archive}: ${cause.message}`) : cause
  } finally {
    io.system.close(fd)
  }
  return found
}

const openOld = async (io: UtilityIo, archive: string): Promise<ZipArchive | undefined> => {
  const fd = io.system.open(archive, { read: true })
  return fd < 0 ? undefined : await ZipArchive.open(io, fd)
}

/** The files to pack by their names in the archive. */
const findSources = async (io: UtilityIo, paths: ReadonlyArray<string>): Promise<Map<string, Source>> => {
  const sources = new Map<string, Source>()
  const globs = (option: string): ReadonlyArray<(name: string) => boolean> =>
    io.values(option).map((pattern) => compileGlob(pattern))
  const [excludes, includes] = [globs("x"), globs("i")]
  const add = (path: string, name: string, stat: Stat): void => {
    if (name === "" || name === "/" || name === "./" || excludes.some((test) => test(name))) return
    if (includes.length === 0 || includes.some((test) => test(name))) sources.set(name, { name, path, stat })
  }
  const visit = async (path: string, depth: number): Promise<void> => {
    await io.flushAndYield()
    const stat = io.system.stat(path, { follow: !io.has("y") })
    if (typeof stat === "number") return warnUnmatched(io, path)
    const inside = path.replace(/^(\.?\/+)+/, "")
    if (stat.type !== FileType.directory) return add(path, io.has("j") ? baseName(path) : inside, stat)
    if (!io.has("j") && !io.has("D") && inside !== "." && inside !== "") add(path, `${stripEnd(inside, "/")}/`, stat)
    if (!io.has("r") || depth > maxTreeDepth) return
    const entries = io.system.list(path)
    if (typeof entries === "number") return io.warn(path, entries)
    for (const { name } of entries) await visit(joinPath(path, name), depth + 1)
  }
  for (const path of paths) {
    if (path !== "-") await visit(path, 0)
    else {
      const stat = io.system.fstat(0)
      if (typeof stat === "object") sources.set("-", { name: "-", path, stat })
    }
  }
  return sources
}

const warnUnmatched = (io: UtilityIo, path: string): void => {
  if (!io.has("q")) io.print(`\tzip warning: name not matched: ${path}\n`)
}

class ZipWriter {
  readonly #io: UtilityIo
  readonly #fd: number
  readonly #entries: Array<ZipEntry> = []
  readonly #options: { readonly zone: string | undefined; readonly plain: boolean }
  #offset = 0

  constructor(io: UtilityIo, fd: number) {
    this.#io = io
    this.#fd = fd
    this.#options = { plain: io.has("X"), zone: io.zone }
  }

  readonly #write: Sink = async (bytes) => {
    await this.#io.flushAndYield()
    const written = await this.#io.system.writeAll(this.#fd, bytes)
    if (written < 0) this.#io.fail("write error", written)
    this.#offset += bytes.length
    if (this.#offset >= 0xffffffff) this.#io.fail("archives of 4 GiB and more are not supported")
  }

  /** Copies a member of the old archive unchanged. */
  async copy(entry: ZipEntry, archive: ZipArchive | undefined): Promise<void> {
    const copied = { ...entry, flags: entry.flags & ~zipFlags.descriptor, offset: this.#offset }
    await this.#write(encodeLocalHeader(copied, this.#options))
    if (archive !== undefined) { for await (const piece of archive.compressedPieces(entry)) await this.#write(piece) }
    this.#entries.push(copied)
  }

  async add(source: Source, verb: string): Promise<void> {
    const io = this.#io
    const { name, stat } = source
    const type = stat.type === FileType.directory
      ? modeTypes.folder
      : stat.type === FileType.symbolicLink
      ? modeTypes.link
      : modeTypes.file
    const utf8 = encodeUtf8(name).length === name.length ? 0 : zipFlags.utf8
    const entry: ZipEntry = {
      name,
      method: methods.stored,
      flags: utf8,
      crc: 0,
      compressed: 0,
      size: 0,
      offset: this.#offset,
      modified: stat.modified,
      mode: type | stat.mode,
    }
    const done = await this.#pack(source, entry)
    if (done === undefined) return
    this.#entries.push(done)
    const saved = done.size > 0 ? Math.floor((1 + 200 * (done.size - done.compressed) / done.size) / 2) : 0
    const how = done.method === methods.stored ? "stored 0%" : `deflated ${saved}%`
    if (!io.has("q")) (this.#fd === 1 ? io.err : io.out).putText(`${verb}: ${name} (${how})\n`)
  }

  async #pack({ path, stat }: Source, entry: ZipEntry): Promise<ZipEntry | undefined> {
    const { system } = this.#io
    if (stat.type === FileType.directory) return await this.#store(entry, [])
    if (stat.type === FileType.symbolicLink) {
      const target = system.readlink(path)
      return await this.#store(entry, typeof target === "string" ? [encodeUtf8(target)] : [])
    }
    const input = this.#io.openInput(path)
    if (input === undefined) return undefined
    const chunks = this.#io.chunks(input)
    const held: Array<Uint8Array> = []
    let bytes = 0
    const takeAll = async (): Promise<boolean> => {
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
        held.push(next.value.slice())
        bytes += next.value.length
        if (bytes > maxHeldBytes) return false
      }
      return true
    }
    const isWhole = await takeAll()
    const done = isWhole ? await this.#packHeld(entry, held) : await this.#packStream(entry, held, chunks)
    input.close()
    return done
  }

  get #level() {
    return levels.find((level) => this.#io.lastOf(..."0123456789")?.[0] === `${level}`) ?? 6
  }

  async #packHeld(entry: ZipEntry, held: ReadonlyArray<Uint8Array>): Promise<ZipEntry> {
    const packed: Array<Uint8Array> = []
    const deflater = new Deflater(this.#level, (bytes) => void packed.push(bytes))
    for (const piece of held) await deflater.push(piece)
    await deflater.push(new Uint8Array(0), true)
    if (this.#level === 0 || deflater.written >= deflater.crc.bytes) return await this.#store(entry, held)
    const { bytes: size, value: crc } = deflater.crc
    const done = { ...entry, compressed: deflater.written, crc, method: methods.deflated, size }
    await this.#write(encodeLocalHeader(done, this.#options))
    await this.#write(concatBytes(packed))
    return done
  }

  async #store(entry: ZipEntry, pieces: ReadonlyArray<Uint8Array>): Promise<ZipEntry> {
    const crc = new Crc32()
    for (const piece of pieces) crc.update(piece)
    const done = { ...entry, compressed: crc.bytes, crc: crc.value, size: crc.bytes }
    await this.#write(encodeLocalHeader(done, this.#options))
    await this.#write(concatBytes(pieces))
    return done
  }

  /** Compresses a large file, whose sizes are written after its data. */
  async #packStream(
    entry: ZipEntry,
    held: ReadonlyArray<Uint8Array>,
    rest: AsyncGenerator<Uint8Array>,
  ): Promise<ZipEntry> {
    const begun = { ...entry, flags: entry.flags | zipFlags.descriptor, method: methods.deflated }
    await this.#write(encodeLocalHeader(begun, this.#options))
    const deflater = new Deflater(this.#level, this.#write)
    for (const piece of held) await deflater.push(piece)
    for await (const piece of rest) await deflater.push(piece)
    await deflater.push(new Uint8Array(0), true)
    const { bytes: size, value: crc } = deflater.crc
    if (size >= 0xffffffff) this.#io.fail("members of 4 GiB and more are not supported")
    const done = { ...begun, compressed: deflater.written, crc, size }
    await this.#write(encodeDescriptor(done))
    return done
  }

  async end(): Promise<void> {
    if (this.#entries.length > 65_535) this.#io.fail("more than 65535 members are not supported")
    const start = this.#offset
    for (const entry of this.#entries) await this.#write(encodeCentralHeader(entry, this.#options))
    await this.#write(encodeEnd(this.#entries.length, this.#offset - start, start))
  }
}
