/** Implements the `tar` utility. */
import { concatBytes } from "../../../base/bytes.ts"
import { errnoText } from "../../Errno.ts"
import { blockBytes } from "../../fs/tar.ts"
import { archiveEnd } from "../../fs/tarWriter.ts"
import type { Program } from "../../System.ts"
import { compileGlob } from "../shared/compileGlob.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { stripEnd } from "../shared/strip.ts"
import { bunzip2Pieces, isBzip2 } from "./bunzip2.ts"
import { ByteReader } from "./ByteReader.ts"
import { MemberFormat } from "./MemberFormat.ts"
import { decompressedReader, gunzipPieces, GzipWriter, isGzip, type Sink } from "./gzipFormat.ts"
import { InflateError } from "./inflate.ts"
import { readMembers, type StreamedMember, TarFormatError } from "./readMembers.ts"
import { TarCreator } from "./TarCreator.ts"
import { TarExtractor } from "./TarExtractor.ts"
import { isXz, unxzPieces } from "./unxz.ts"
import { rewriteArgs, spec, TarSettings } from "./tarSettings.ts"

/** GNU tar writes whole records of 20 blocks. */
const recordBytes = 20 * blockBytes

/**
 * `tar -c | -x | -t | -r [-f ARCHIVE] [-z] [-C DIRECTORY] [OPTION]... [FILE]...`: packs files into an archive, and unpacks
 * them. Source: GNU tar's manual.
 */
export const tar: Program = defineUtility("tar", spec, async (io) => {
  const settings = new TarSettings(io)
  const modes = ["c", "x", "t", "r"].filter((mode) => io.has(mode))
  if (modes.length > 1) {
    io.failUsage("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option")
  }
  await settings.readExcludes()
  try {
    if (io.has("c")) await create(io, settings)
    else if (io.has("r")) await append(io, settings)
    else if (modes.length > 0) await readArchive(io, settings)
    else io.failUsage("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options")
  } catch (cause) {
    if (cause instanceof InflateError) io.warn(`cannot decompress the archive: ${cause.message}`)
    else if (!(cause instanceof TarFormatError)) throw cause
    else io.warn(cause.message)
    if (cause instanceof TarFormatError && cause.message.includes("exiting now")) return
  }
  if (io.exitCode === 2) io.printError("Exiting with failure status due to previous errors")
}, { errorExitCode: 2, rewriteArgs })

/** Opens the archive to write, and calls `fill` with a sink that compresses on request. */
const create = async (io: UtilityIo, settings: TarSettings): Promise<void> => {
  const operands = await settings.operands()
  if (operands.length === 0 && !io.has("T")) io.failUsage("Cowardly refusing to create an empty archive")
  const { archive } = settings
  const fd = archive === "-" ? 1 : io.system.open(archive, { create: true, truncate: true, write: true })
  if (fd < 0) io.fail(`${archive}: Cannot open`, fd)
  const compresses = io.has("z") || (io.has("a") && /\.(tgz|taz|gz)$/.test(archive))
  const write: Sink = async (bytes) => {
    await io.flushAndYield()
    const written = await io.system.writeAll(fd, bytes)
    if (written < 0) io.fail(`${archive}: Cannot write`, written)
  }
  const writer = compresses ? new GzipWriter({ modified: 0, name: "" }, 6, write) : undefined
  await writer?.start()
  const records = new RecordWriter(writer === undefined ? write : (bytes) => writer.push(bytes))
  const creator = new TarCreator(io, settings, (bytes) => records.write(bytes), io.system.fstat(fd))
  for (const operand of operands) await creator.add(operand)
  await records.end()
  await writer?.end()
  if (fd > 2) io.system.close(fd)
}

/** Collects writes to whole records. */
class RecordWriter {
  readonly #sink: Sink
  #parts: Array<Uint8Array> = []
  #held = 0
  #bytes: number

  constructor(sink: Sink, bytes = 0) {
    this.#sink = sink
    this.#bytes = bytes
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return
    this.#bytes += bytes.length
    this.#held += bytes.length
    this.#parts.push(bytes.slice())
    if (this.#held >= recordBytes) await this.#flush()
  }

  async #flush(): Promise<void> {
    const all = concatBytes(this.#parts)
    this.#parts = []
    this.#held = 0
    await this.#sink(all)
  }

  async end(): Promise<void> {
    await this.write(archiveEnd())
    await this.write(new Uint8Array((recordBytes - this.#bytes % recordBytes) % recordBytes))
    await this.#flush()
  }
}

const append = async (io: UtilityIo, settings: TarSettings): Promise<void> => {
  const { archive } = settings
  const operands = await settings.operands()
  if (io.has("z")) io.fail("Cannot update compressed archives")
  const fd = io.system.open(archive, { create: true, read: true, write: true })
  if (archive === "-" || fd < 0) io.fail(`${archive}: Cannot open`, fd)
  let end = 0
  const reader = readerOf(io, fd)
  if (await reader.ensure(1) > 0) { for await (const member of readMembers(reader)) end = member.end }
  io.system.seek(fd, end, 0)
  io.system.truncate(fd, end)
  const records = new RecordWriter(async (bytes) => {
    const written = await io.system.writeAll(fd, bytes)
    if (written < 0) io.fail(`${archive}: Cannot write`, written)
  }, end)
  const creator = new TarCreator(io, settings, (bytes) => records.write(bytes), io.system.fstat(fd))
  for (const operand of operands) await creator.add(operand)
  await records.end()
  io.system.close(fd)
}

const readerOf = (io: UtilityIo, fd: number): ByteReader =>
  new ByteReader(async (into) => {
    await io.flushAndYield()
    const count = await io.system.read(fd, into)
    return count < 0 ? io.fail("Cannot read", count) : count
  }, () => io.flushAndYield())

/** The operands of -x and -t, which select members, and whether each was found. */
class MemberSelection {
  readonly #tests: ReadonlyArray<(name: string) => boolean>
  readonly #names: ReadonlyArray<string>
  readonly #found = new Set<string>()

  constructor(io: UtilityIo, names: ReadonlyArray<string>) {
    this.#names = names
    this.#tests = names.map((given) => {
      const name = stripEnd(given, "/")
      const glob = io.lastOf("wildcards", "no-wildcards")?.[0] === "wildcards" ? compileGlob(name) : undefined
      if (glob === undefined) return (member) => member === name || member.startsWith(`${name}/`)
      return (member) => {
        for (let end = member.length; end > 0; end = member.lastIndexOf("/", end - 1)) {
          if (glob(member.slice(0, end))) return true
        }
        return false
      }
    })
  }

  has(member: string): boolean {
    if (this.#names.length === 0) return true
    const index = this.#tests.findIndex((test) => test(member))
    this.#names.forEach((name, at) => {
      if (this.#tests[at]?.(member) === true) this.#found.add(name)
    })
    return index >= 0
  }

  get missing(): ReadonlyArray<string> {
    return this.#names.filter((name) => !this.#found.has(name))
  }
}

/** Extracts or lists. */
const readArchive = async (io: UtilityIo, settings: TarSettings): Promise<void> => {
  const { archive } = settings
  const fd = archive === "-" ? 0 : io.system.open(archive, { read: true })
  if (fd < 0) {
    io.printError(`${archive}: Cannot open: ${errnoText(fd)}`)
    io.fail("Error is not recoverable: exiting now")
  }
  const raw = readerOf(io, fd)
  const reader = await decompressed(io, raw)
  const selection = new MemberSelection(io, (await settings.operands()).map(({ name }) => name))
  const format = new MemberFormat(io)
  const extractor = new TarExtractor(io, settings)
  try {
    for await (const member of readMembers(reader)) {
      const { entry } = member
      if (!selection.has(entry.path) || await settings.isExcluded(entry.path)) continue
      if (io.has("t")) {
        io.print(`${format.format(entry)}\n`)
        if (io.out.isFull) await io.out.flush()
      } else await extractMember(io, settings, extractor, format, member)
    }
  } finally {
    if (io.has("x")) await extractor.finish()
  }
  for (const name of selection.missing) io.warn(`${name}: Not found in archive`)
  if (fd > 2) io.system.close(fd)
}

const formats = [
  { option: "z", matches: isGzip, pieces: gunzipPieces, complaint: "gzip: stdin: not in gzip format" },
  { option: "j", matches: isBzip2, pieces: bunzip2Pieces, complaint: "bzip2: (stdin) is not a bzip2 file." },
  { option: "J", matches: isXz, pieces: unxzPieces, complaint: "xz: (stdin): File format not recognized" },
]

/** Recognizes the format of an archive by its first bytes, as GNU tar does, also without an option. */
const decompressed = async (io: UtilityIo, raw: ByteReader): Promise<ByteReader> => {
  for (const { complaint, matches, option, pieces } of formats) {
    if (await matches(raw)) return decompressedReader(raw, pieces(raw))
    if (io.has(option) && await raw.ensure(1) > 0) throw new TarFormatError(complaint)
  }
  return raw
}

const zeros = new Uint8Array(65_536)

const extractMember = async (
  io: UtilityIo,
  settings: TarSettings,
  extractor: TarExtractor,
  format: MemberFormat,
  { entry: member, pieces }: StreamedMember,
): Promise<void> => {
  const entry = member.target === "" ? member : { ...member, target: await settings.transform(member.target) }
  const parts = entry.path.split("/").filter((part, at) => part !== "" || at === 0)
  const given = await settings.transform(parts.slice(settings.stripComponents).join("/"))
  const name = settings.safeName(given)
  if (given.split("/").includes("..") && !io.has("P")) return io.warn(`${given}: Member name contains '..'`)
  if (name === "" || parts.length <= settings.stripComponents) return
  if (io.has("v")) (io.has("O") ? io.err : io.out).putText(`${format.format(entry)}\n`)
  if (!io.has("O")) return void await extractor.extract(name, entry, pieces)
  for await (const piece of pieces()) {
    if (typeof piece !== "number") io.out.putBytes(piece)
    else {
      for (let left = piece; left > 0; left -= zeros.length) {
        io.out.putBytes(zeros.subarray(0, left))
        await io.flushAndYield()
      }
    }
    if (io.out.isFull) await io.out.flush()
  }
}
