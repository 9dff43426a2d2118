/** Implements the `unzip` utility. */
import { Errno } from "../../Errno.ts"
import { FileType } from "../../Stat.ts"
import { strftime } from "../../strftime.ts"
import type { Program } from "../../System.ts"
import { compileGlob } from "../shared/compileGlob.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { baseName, dirName, joinPath } from "../shared/paths.ts"
import { InflateError } from "./inflate.ts"
import { splitUnsafePrefix } from "./splitUnsafePrefix.ts"
import { ZipArchive } from "./ZipArchive.ts"
import { modeTypes, type ZipEntry, ZipFormatError } from "./zipFormat.ts"

/** Lets `-x` take all names up to the next option. */
export const rewriteArgs = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  let isList: string | undefined
  return args.flatMap((arg) => {
    if (arg === "-x" || arg === "-i") isList = arg
    else if (arg.startsWith("-") && arg !== "-") isList = undefined
    else if (isList !== undefined) return [isList, arg]
    return arg === isList ? [] : [arg]
  })
}

/** `unzip [-lvtpqonjZ1] [-d DIRECTORY] ARCHIVE [NAME]... [-x NAME...]`: unpacks zip archives. Source: unzip(1). */
export const unzip: Program = defineUtility("unzip", "l v t p q o n j d: x: Z 1", async (io) => {
  const [given = "", ...names] = io.operands
  const opened = [given, `${given}.zip`, `${given}.ZIP`].map((path) => ({
    path,
    fd: io.system.open(path, { read: true }),
  }))
  const archive = opened.find(({ fd, path }) => fd >= 0 && !io.isDirectory(path))
  if (archive === undefined) {
    io.err.putText(`unzip:  cannot find or open ${given}, ${given}.zip or ${given}.ZIP.\n`)
    return 9
  }
  try {
    const zip = await ZipArchive.open(io, archive.fd)
    if (io.has("Z") && !io.has("1")) io.fail("-Z is only supported as -Z1, which lists names; -v lists details")
    if (!io.has("p") && !io.has("q") && !io.has("Z")) io.print(`Archive:  ${archive.path}\n`)
    const tests = names.map((name) => compileGlob(name))
    const found = new Set<number>()
    const excludes = io.values("x").map((name) => compileGlob(name))
    const entries: Array<ZipEntry> = []
    for (const entry of zip.entries) {
      let isSelected = tests.length === 0
      for (const [at, test] of tests.entries()) {
        if (!test(entry.name)) continue
        isSelected = true
        found.add(at)
      }
      if (isSelected && !excludes.some((test) => test(entry.name))) entries.push(entry)
      await io.flushAndYield()
    }
    if (io.has("Z")) await listNames(io, entries)
    else if (io.has("l") || io.has("v")) await list(io, entries)
    else await new Extraction(io, zip).run(entries, archive.path)
    names.forEach((name, at) => {
      if (found.has(at)) return
      io.err.putText(`caution: filename not matched:  ${name}\n`)
      io.exitCode = Math.max(io.exitCode, 11)
    })
  } catch (cause) {
    if (!(cause instanceof ZipFormatError)) throw cause
    io.err.putText(`unzip:  cannot read ${archive.path}: ${cause.message}\n`)
    return 9
  }
  return io.exitCode
}, { minOperands: 1, rewriteArgs })

const listNames = async (io: UtilityIo, entries: ReadonlyArray<ZipEntry>): Promise<void> => {
  for (const { name } of entries) {
    io.print(`${name}\n`)
    if (io.out.isFull) await io.out.flush()
  }
}

const percent = (size: number, compressed: number): number =>
  size > compressed ? Math.floor((1 + 200 * (size - compressed) / size) / 2) : 0

const list = async (io: UtilityIo, entries: ReadonlyArray<ZipEntry>): Promise<void> => {
  const wide = io.has("v")
  const isQuiet = io.has("q")
  const sum = (of: (entry: ZipEntry) => number): number => entries.reduce((total, entry) => total + of(entry), 0)
  if (!isQuiet) {
    io.print(
      wide
        ? " Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n" +
          "--------  ------  ------- ---- ---------- ----- --------  ----\n"
        : "  Length      Date    Time    Name\n---------  ---------- -----   ----\n",
    )
  }
  for (const [at, { compressed, crc, flags, method, modified, name, size }] of entries.entries()) {
    if (at % 64 === 63) await io.flushAndYield()
    const time = strftime("%Y-%m-%d %H:%M", modified, io.zone)
    const kind = method === 0 ? "Stored" : method === 8 ? `Defl:${"NXFS"[flags >> 1 & 3]}` : `Unk:${method}`
    io.print(
      wide
        ? `${`${size}`.padStart(8)}  ${kind} ${`${compressed}`.padStart(8)} ${
          `${percent(size, compressed)}`.padStart(3)
        }% ` +
          `${time} ${crc.toString(16).padStart(8, "0")}  ${name}\n`
        : `${`${size}`.padStart(9)}  ${time}   ${name}\n`,
    )
  }
  if (isQuiet) return
  const [size, compressed] = [sum((entry) => entry.size), sum((entry) => entry.compressed)]
  const files = `${entries.length} file${entries.length === 1 ? "" : "s"}\n`
  io.print(
    wide
      ? `--------          -------  ---                            -------\n` +
        `${`${size}`.padStart(8)}         ${`${compressed}`.padStart(8)} ${
          `${percent(size, compressed)}`.padStart(3)
        }%` +
        `                            ${files}`
      : `---------                     -------\n${`${size}`.padStart(9)}                     ${files}`,
  )
}

/** Maximum bytes of a link's target; all targets are held until the end. */
const maxLinkBytes = 4_095

/** Extracts, prints or tests members. */
class Extraction {
  readonly #io: UtilityIo
  readonly #zip: ZipArchive
  readonly #links: Array<readonly [path: string, target: string]> = []
  readonly #folders: Array<readonly [path: string, entry: ZipEntry]> = []
  /** Whether the question about existing files was printed, which cannot be answered here. */
  #hasAsked = false

  constructor(io: UtilityIo, zip: ZipArchive) {
    this.#io = io
    this.#zip = zip
  }

  async run(entries: ReadonlyArray<ZipEntry>, archive: string): Promise<void> {
    const io = this.#io
    const { system } = io
    for (const entry of entries) {
      try {
        if (io.has("t")) await this.#test(entry)
        else if (io.has("p")) await this.#print(entry)
        else await this.#extract(entry)
      } catch (cause) {
        if (!(cause instanceof InflateError || cause instanceof ZipFormatError)) throw cause
        io.err.putText(`${entry.name}:  ${cause.message}\n`)
        io.exitCode = Math.max(io.exitCode, cause instanceof ZipFormatError ? 81 : 2)
      }
      await io.flushAndYield()
    }
    if (this.#links.length > 0 && !io.has("q")) io.print("finishing deferred symbolic links:\n")
    for (const [path, target] of this.#links) {
      if (!io.has("q")) io.print(`  ${path.padEnd(22)} -> ${target}\n`)
      const made = system.symlink(target, path)
      if (made < 0) io.warn(path, made)
      await io.flushAndYield()
    }
    for (const [path, entry] of this.#folders.reverse()) {
      this.#setDetails(path, entry)
      await io.flushAndYield()
    }
    const failed = io.exitCode !== 0
    if (io.has("t") && !failed) io.print(`No errors detected in compressed data of ${archive}.\n`)
    if (io.has("t") && failed) io.print(`At least one error was detected in ${archive}.\n`)
  }

  async #test(entry: ZipEntry): Promise<void> {
    const io = this.#io
    if (!io.has("q")) io.print(`    testing: ${entry.name.padEnd(22)}  `)
    for await (const _ of this.#zip.pieces(entry)) await io.flushAndYield()
    if (!io.has("q")) io.print(" OK\n")
  }

  async #print(entry: ZipEntry): Promise<void> {
    for await (const piece of this.#zip.pieces(entry)) {
      this.#io.out.putBytes(piece)
      if (this.#io.out.isFull) await this.#io.out.flush()
    }
  }

  /** The path to extract to, which is always below the directory; `undefined` if there is nothing to extract. */
  #targetOf({ name }: ZipEntry): string | undefined {
    const io = this.#io
    const [prefix, safe] = splitUnsafePrefix(name)
    if (prefix !== "") {
      io.err.putText(`warning:  skipped "${prefix}" path component(s) in ${name}\n`)
      io.exitCode = Math.max(io.exitCode, 1)
    }
    if (io.has("j") && name.endsWith("/")) return undefined
    const path = io.has("j") ? baseName(safe) : safe
    const directory = io.value("d")
    return path === "" ? undefined : directory === undefined ? path : joinPath(directory, path)
  }

  async #extract(entry: ZipEntry): Promise<void> {
    const io = this.#io
    const { system } = io
    const path = this.#targetOf(entry)
    if (path === undefined) return
    const tell = (verb: string): void => {
      if (!io.has("q")) io.print(`${verb.padStart(11)}: ${path.padEnd(22)}${verb === "creating" ? "" : "  "}\n`)
    }
    if (entry.name.endsWith("/")) {
      if (!io.isDirectory(path)) {
        const made = this.#makeDirectories(path.slice(0, -1))
        if (made < 0) return io.warn(path, made)
        if (!io.has("q")) io.print(`   creating: ${path}\n`)
      }
      this.#folders.push([path, entry])
      return
    }
    const there = system.stat(path, { follow: false })
    if (typeof there === "object") {
      if (!this.#mayReplace(path) || there.type === FileType.directory) return
      system.unlink(path)
    }
    const parent = this.#makeDirectories(dirName(path))
    if (parent < 0) return io.warn(path, parent)
    if ((entry.mode & modeTypes.mask) === modeTypes.link) return await this.#addLink(path, entry)
    tell(entry.method === 0 ? "extracting" : "inflating")
    const fd = system.open(path, { create: true, exclusive: true, mode: 0o600, write: true })
    if (fd < 0) return io.warn(path, fd)
    try {
      for await (const piece of this.#zip.pieces(entry)) {
        const written = await system.writeAll(fd, piece)
        if (written < 0) io.fail(`${path}: write error`, written)
        await io.flushAndYield()
      }
    } finally {
      system.close(fd)
      this.#setDetails(path, entry)
    }
  }

  #mayReplace(path: string): boolean {
    const io = this.#io
    if (io.has("o") || io.has("n") || this.#hasAsked) return io.has("o")
    io.err.putText(
      `replace ${path}? [y]es, [n]o, [A]ll, [N]one, [r]ename:  NULL\n(EOF or read error, treating as "[N]one" ...)\n`,
    )
    this.#hasAsked = true
    io.exitCode = Math.max(io.exitCode, 1)
    return false
  }

  /** Links are made after all members are extracted, so that none is extracted through a link. */
  async #addLink(path: string, entry: ZipEntry): Promise<void> {
    if (entry.size > maxLinkBytes) throw new ZipFormatError("the target of a link is too long")
    const decoder = new TextDecoder()
    let target = ""
    for await (const piece of this.#zip.pieces(entry)) target += decoder.decode(piece, { stream: true })
    if (!this.#io.has("q")) this.#io.print(`    linking: ${path.padEnd(22)}  -> ${target} \n`)
    this.#links.push([path, target])
  }

  #makeDirectories(path: string): number {
    const { system } = this.#io
    const made = system.makeDirectory(path, 0o777)
    if (made === -Errno.EEXIST) return this.#io.isDirectory(path) ? 0 : -Errno.ENOTDIR
    if (made !== -Errno.ENOENT || dirName(path) === path) return made
    const above = this.#makeDirectories(dirName(path))
    return above < 0 ? above : system.makeDirectory(path, 0o777)
  }

  #setDetails(path: string, { mode, modified }: ZipEntry): void {
    const { system } = this.#io
    const permissions = mode === 0 ? (path.endsWith("/") ? 0o777 : 0o666) & ~system.umask() : mode & 0o777
    system.setMode(path, permissions)
    system.setTimes(path, modified, modified)
  }
}
