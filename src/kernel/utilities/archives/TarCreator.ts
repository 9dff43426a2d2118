/** Writes files and directories as members of a tar archive. */
import { padding, type TarEntry, type TarOwner } from "../../fs/tar.ts"
import { gnuMemberHeader, memberHeader } from "../../fs/tarWriter.ts"
import { idsOf, ownerOf } from "../../modes.ts"
import { compareStrings } from "../../binaryString.ts"
import { Whence } from "../../OpenFile.ts"
import { FileType, type Stat } from "../../Stat.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { joinPath } from "../shared/paths.ts"
import { stripEnd } from "../shared/strip.ts"
import type { Sink } from "./gzipFormat.ts"
import { MemberFormat } from "./MemberFormat.ts"
import { pathIn, type TarOperand, type TarSettings } from "./tarSettings.ts"

/** Maximum depth of a tree, which only links that form a loop exceed. */
const maxTreeDepth = 512

export class TarCreator {
  readonly #io: UtilityIo
  readonly #settings: TarSettings
  readonly #write: Sink
  readonly #format: MemberFormat
  readonly #isPax: boolean
  /** Identity of the archive itself, which is left out. */
  readonly #archive: string
  /** The first names of files that have several. */
  readonly #names = new Map<string, string>()
  readonly #modified: bigint | undefined

  constructor(io: UtilityIo, settings: TarSettings, write: Sink, archive: Stat | number) {
    this.#io = io
    this.#settings = settings
    this.#write = write
    this.#format = new MemberFormat(io)
    const format = io.lastOf("format", "H")?.[1] ?? "gnu"
    if (!["gnu", "pax", "posix"].includes(format)) io.fail(`format '${format}' is not supported; gnu and pax are`)
    this.#isPax = format !== "gnu"
    this.#archive = typeof archive === "object" ? identity(archive) : ""
    this.#modified = settings.modified
    const sort = io.value("sort") ?? "none"
    if (!["none", "name"].includes(sort)) io.fail(`sort order '${sort}' is not supported; none and name are`)
  }

  async add({ directory, name }: TarOperand, depth = 0): Promise<void> {
    const io = this.#io
    const { system } = io
    if (await this.#settings.isExcluded(name)) return
    await io.flushAndYield()
    const path = pathIn(directory, name)
    const stat = system.stat(path, { follow: io.has("h") })
    if (typeof stat === "number") return io.warn(`${name}: Cannot stat`, stat)
    if (identity(stat) === this.#archive) {
      return io.printError(`${name}: file is the archive; not dumped`)
    }
    if (stat.type === FileType.directory) {
      await this.#addDirectory({ directory, name }, path, stat, depth)
      return
    }
    const entry = this.#entryOf(name, stat)
    if (stat.type === FileType.symbolicLink) {
      const target = system.readlink(path)
      if (typeof target === "number") return io.warn(`${name}: Cannot readlink`, target)
      await this.#writeHeader({ ...entry, mode: 0o777, type: "link", target })
    } else if (stat.type === FileType.unknown) await this.#writeHeader({ ...entry, type: "fifo" })
    else if (stat.type !== FileType.regularFile) return io.printError(`${name}: file type is unknown; file ignored`)
    else {
      const first = this.#names.get(identity(stat))
      if (first !== undefined && !io.has("hard-dereference")) {
        await this.#writeHeader({ ...entry, type: "hardLink", target: first })
      } else {
        if (stat.links > 1) this.#names.set(identity(stat), entry.path)
        await this.#addFile(path, name, { ...entry, type: "file", size: stat.size })
      }
    }
    if (io.has("remove-files")) system.unlink(path)
  }

  async #addDirectory({ directory, name }: TarOperand, path: string, stat: Stat, depth: number): Promise<void> {
    const io = this.#io
    await this.#writeHeader({ ...this.#entryOf(stripEnd(name, "/") || name, stat), type: "folder" })
    if (io.has("no-recursion")) return
    const entries = io.system.list(path)
    if (typeof entries === "number") return io.warn(`${name}: Cannot open`, entries)
    if (depth > maxTreeDepth) return io.warn(`${name}: is too deep`)
    const names = entries.map((entry) => entry.name)
    if (io.value("sort") === "name") names.sort(compareStrings)
    for (const child of names) await this.add({ directory, name: joinPath(name, child) }, depth + 1)
    if (io.has("remove-files")) io.system.removeDirectory(path)
  }

  #entryOf(name: string, stat: Stat): TarEntry {
    const path = this.#settings.safeName(name)
    return {
      path: path === "" ? "." : path,
      type: "other",
      mode: stat.mode,
      modified: this.#modified ?? stat.modified,
      target: "",
      size: 0,
      records: new Map(),
      owner: this.#ownerOf(stat),
    }
  }

  #ownerOf(stat: Stat): TarOwner {
    const io = this.#io
    const [ids, names] = [idsOf(stat), ownerOf(io.system.env, stat)]
    const given = (option: string, name: string, id: string): readonly [name: string, id: number] => {
      const match = /^(?:([^:]*):)?([0-9]+)$/.exec(io.value(option) ?? "")
      if (match !== null) return [match[1] ?? "", Number(match[2])]
      return [io.value(option) ?? name, Number(id)]
    }
    const [user, uid] = given("owner", names.user, ids.user)
    const [group, gid] = given("group", names.group, ids.group)
    return io.has("numeric-owner") ? { gid, group: "", uid, user: "" } : { gid, group, uid, user }
  }

  async #writeHeader(entry: TarEntry): Promise<void> {
    const io = this.#io
    if (io.has("v")) (this.#settings.archive === "-" ? io.err : io.out).putText(`${this.#format.format(entry)}\n`)
    const owner = entry.owner ?? { gid: 0, group: "", uid: 0, user: "" }
    const written = await this.#transform(entry)
    for (const part of this.#isPax ? memberHeader(written) : gnuMemberHeader(written, owner)) await this.#write(part)
  }

  /** A member as `--transform` renames it, which changes the targets of links too. */
  async #transform(entry: TarEntry): Promise<TarEntry> {
    if (!this.#io.has("transform")) return entry
    const settings = this.#settings
    const path = settings.safeName(await settings.transform(entry.path)) || "."
    return { ...entry, path, target: entry.target === "" ? "" : await settings.transform(entry.target) }
  }

  /** Returns the size of a file that seemed empty, because the size of a lazy file is known only when it is read. */
  async #sizeOf(fd: number): Promise<number> {
    const { system } = this.#io
    const count = await system.read(fd, new Uint8Array(1))
    const stat = count > 0 ? system.fstat(fd) : 0
    system.seek(fd, 0, Whence.set)
    return typeof stat === "object" ? stat.size : 0
  }

  /** Writes a file of the size that its header has, even if it changes meanwhile. */
  async #addFile(path: string, name: string, found: TarEntry): Promise<void> {
    const io = this.#io
    const input = io.system.open(path, { read: true })
    if (input < 0) return io.warn(`${name}: Cannot open`, input)
    try {
      const entry = found.size > 0 ? found : { ...found, size: await this.#sizeOf(input) }
      await this.#writeHeader(entry)
      const buffer = new Uint8Array(Math.min(65_536, entry.size))
      let left = entry.size
      while (left > 0) {
        await io.flushAndYield()
        const count = await io.system.read(input, left < buffer.length ? buffer.subarray(0, left) : buffer)
        if (count <= 0) break
        await this.#write(buffer.subarray(0, count))
        left -= count
      }
      if (left > 0) io.warn(`${name}: File shrank by ${left} bytes; padding with zeros`)
      for (; left > 0; left -= buffer.length) await this.#write(new Uint8Array(Math.min(left, buffer.length)))
      await this.#write(padding(entry.size))
    } finally {
      io.system.close(input)
    }
  }
}

const identity = ({ device, inode }: Stat): string => `${device}:${inode}`
