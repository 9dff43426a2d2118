/** Extracts members of a tar archive below a directory. */
import { Errno } from "../../Errno.ts"
import type { TarEntry } from "../../fs/tar.ts"
import { FileType } from "../../Stat.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { dirName } from "../shared/paths.ts"
import type { MemberPiece } from "./readMembers.ts"
import { pathIn, type TarSettings } from "./tarSettings.ts"

/** A link that leads out of the directory, made after all members so that none is extracted through it. */
interface DelayedLink {
  readonly path: string
  readonly target: string
  /** The empty file in its place. */
  readonly inode: number
}

/** The details of a directory, set after all members are extracted, unless another file has replaced it by then. */
interface DelayedDetails extends Pick<TarEntry, "mode" | "modified"> {
  readonly path: string
  readonly device: number
  readonly inode: number
}

/** Maximum number of links and directories that are finished after all members are extracted. */
const maxDelayed = 65_536

export class TarExtractor {
  readonly #io: UtilityIo
  readonly #settings: TarSettings
  readonly #directory: string
  readonly #directories: Array<DelayedDetails> = []
  readonly #links: Array<DelayedLink> = []

  constructor(io: UtilityIo, settings: TarSettings) {
    this.#io = io
    this.#settings = settings
    this.#directory = settings.directory
  }

  /** Extracts a member under a name. Returns whether it was done. */
  async extract(name: string, entry: TarEntry, pieces: () => AsyncGenerator<MemberPiece>): Promise<boolean> {
    const io = this.#io
    const { system } = io
    await io.flushAndYield()
    const path = pathIn(this.#directory, name)
    if (entry.type === "folder") return this.#makeDirectory(path, name, entry)
    if (entry.type === "other") {
      io.warn(`${name}: unknown file type; not extracted`)
      return false
    }
    const there = system.stat(path, { follow: false })
    if (typeof there === "object") {
      if (io.has("skip-old-files")) return false
      if (io.has("k")) return this.#fail(`${name}: Cannot open`, -Errno.EEXIST)
      const removed = there.type === FileType.directory ? system.removeDirectory(path) : system.unlink(path)
      if (removed < 0) return this.#fail(`${name}: Cannot open`, -Errno.EISDIR)
    }
    if (entry.type === "link") return this.#makeLink(path, name, entry.target)
    if (entry.type === "fifo") {
      const made = this.#withParents(path, () => system.makeFifo(path))
      if (made < 0) return this.#fail(`${name}: Cannot mkfifo`, made)
      this.#setDetails(path, entry)
      return true
    }
    if (entry.type === "hardLink") {
      const target = this.#settings.safeName(entry.target, "hard link targets")
      const make = (): number => system.link(pathIn(this.#directory, target), path)
      const made = this.#withParents(path, make)
      return made >= 0 || this.#fail(`${name}: Cannot hard link to '${target}'`, made)
    }
    const options = { create: true, exclusive: true, mode: entry.mode & 0o700 | 0o200, write: true }
    const output = this.#withParents(path, () => system.open(path, options))
    if (output < 0) return this.#fail(`${name}: Cannot open`, output)
    try {
      for await (const piece of pieces()) {
        await io.flushAndYield()
        const written = typeof piece !== "number"
          ? await system.writeAll(output, piece)
          : system.truncate(output, system.seek(output, piece, 1))
        if (written < 0) return this.#fail(`${name}: Cannot write`, written)
      }
    } finally {
      system.close(output)
    }
    this.#setDetails(path, entry)
    return true
  }

  /** Sets the modes and times of directories, which adding files to them changes, and makes the links that lead out. */
  async finish(): Promise<void> {
    const { system } = this.#io
    for (const { inode, path, target } of this.#links) {
      const there = system.stat(path, { follow: false })
      if (typeof there !== "object" || there.inode !== inode) continue
      system.unlink(path)
      await this.#io.flushAndYield()
      const made = system.symlink(target, path)
      if (made < 0) this.#fail(`${path}: Cannot create symlink to '${target}'`, made)
    }
    for (const directory of this.#directories.reverse()) {
      const there = system.stat(directory.path, { follow: false })
      if (typeof there === "object" && there.inode === directory.inode && there.device === directory.device) {
        this.#setDetails(directory.path, directory)
      }
      await this.#io.flushAndYield()
    }
  }

  #checkDelayed(): void {
    if (this.#links.length + this.#directories.length < maxDelayed) return
    this.#io.fail(`more than ${maxDelayed} directories and links that lead out of the directory`)
  }

  #fail(message: string, errno: number): false {
    this.#io.warn(message, errno)
    return false
  }

  #setDetails(path: string, { mode, modified }: Pick<TarEntry, "mode" | "modified">): void {
    const { system } = this.#io
    system.setMode(
      path,
      this.#io.lastOf("p", "no-same-permissions")?.[0] === "no-same-permissions"
        ? mode & 0o777 & ~system.umask()
        : mode,
    )
    if (!this.#io.has("m")) system.setTimes(path, modified, modified)
  }

  #makeDirectory(path: string, name: string, entry: TarEntry): boolean {
    const { system } = this.#io
    const made = this.#withParents(path, () => system.makeDirectory(path, 0o777))
    const directory = system.stat(path)
    if (typeof directory === "number") return this.#fail(`${name}: Cannot mkdir`, made < 0 ? made : directory)
    if (directory.type !== FileType.directory) return this.#fail(`${name}: Cannot mkdir`, made)
    this.#checkDelayed()
    const { mode, modified } = entry
    this.#directories.push({ device: directory.device, inode: directory.inode, mode, modified, path })
    return true
  }

  #makeLink(path: string, name: string, target: string): boolean {
    const { system } = this.#io
    const leadsOut = target.startsWith("/") || target.split("/").includes("..")
    if (!leadsOut || this.#io.has("P")) {
      const made = this.#withParents(path, () => system.symlink(target, path))
      return made >= 0 || this.#fail(`${name}: Cannot create symlink to '${target}'`, made)
    }
    const options = { create: true, exclusive: true, mode: 0, write: true }
    const output = this.#withParents(path, () => system.open(path, options))
    if (output < 0) return this.#fail(`${name}: Cannot create symlink to '${target}'`, output)
    const stat = system.fstat(output)
    system.close(output)
    this.#checkDelayed()
    if (typeof stat === "object") this.#links.push({ inode: stat.inode, path, target })
    return true
  }

  /** Tries again after making the directories of the path. */
  #withParents(path: string, make: () => number): number {
    const made = make()
    if (made !== -Errno.ENOENT) return made
    const parent = dirName(path)
    if (parent === path) return made
    const above = this.#withParents(parent, () => this.#io.system.makeDirectory(parent, 0o777))
    return above < 0 && above !== -Errno.EEXIST ? above : make()
  }
}
