/**
 * Implements a volume over a folder of the host, which no name leaves: links are resolved inside the sandbox's own tree.
 * Keeps one object for each folder in use.
 */
import { Errno } from "../Errno.ts"
import type { OpenFile } from "../OpenFile.ts"
import { type DirectoryEntry, FileType, type Stat } from "../Stat.ts"
import { HostFile, HostLink, openHostFile } from "./HostFile.ts"
import type { HostFiles } from "./HostFiles.ts"
import { HostVolume } from "./HostVolume.ts"
import { hostFiles } from "./nodeHostFiles.ts"
import { Folder, type Node, type NodeOpenOptions, type Volume } from "./Node.ts"

/**
 * Maximum depth of visible folders below the root: a lookup is quadratic in the depth, and nothing else runs meanwhile.
 */
const maxDepth = 128

const typeOf = (stat: Stat | number): FileType | undefined => typeof stat === "number" ? undefined : stat.type

export class HostFolder extends Folder {
  override readonly volume: HostVolume
  /** Its folders that are in use, each one object that stays the same when the folder is renamed. */
  readonly #folders = new Map<string, WeakRef<HostFolder>>()
  #removed = false
  /** Its stat at the time of its removal, for open descriptors. */
  #last: Stat | number = -Errno.ENOENT
  #sweepAt = 64
  readonly isRoot: boolean

  constructor(volume: HostVolume, isRoot: boolean) {
    super()
    this.volume = volume
    this.isRoot = isRoot
  }

  /** The sizes of the host's disk are not disclosed. */
  override usage(): ReturnType<Folder["usage"]> {
    return { ...super.usage(), kind: "host" }
  }

  hostPath(): string {
    return pathOf(this.volume, namesTo(this))
  }

  /** Calls `use` with a path to a name in this folder, safe against concurrent changes on the host. */
  at<A>(name: string, use: (path: string) => A | number): A | number {
    if (this.#removed) return -Errno.ENOENT
    if (!this.volume.files.accepts(name)) return -Errno.EINVAL
    return this.volume.files.within(this.hostPath(), (path) => use(`${path}/${name}`))
  }

  change<A>(name: string, use: (path: string) => A | number): A | number {
    return this.volume.protects(this.hostPath(), name) ? -Errno.EPERM : this.at(name, use)
  }

  override stat(): Stat | number {
    if (this.#removed) return this.#last
    const { toGuestStat, files } = this.volume
    const stat = files.within(this.hostPath(), (path) => files.lstat(`${path}/.`))
    return typeof stat === "number" ? stat : toGuestStat(stat)
  }

  override setMode(mode: number): number {
    return this.#self((path) => this.volume.files.setMode(`${path}/.`, mode & 0o1777))
  }

  override setTimes(accessed: bigint | undefined, modified: bigint | undefined): number {
    return this.#self((path) => this.volume.setTimes(`${path}/.`, accessed, modified))
  }

  #self(use: (path: string) => number): number {
    if (this.#removed) return -Errno.ENOENT
    // A folder that is protected, or in one.
    if (this.volume.protects(this.hostPath(), "")) return -Errno.EPERM
    return this.volume.files.within(this.hostPath(), use)
  }

  override lookup(name: string): Node | number {
    if (this.#removed) return -Errno.ENOENT
    const { files } = this.volume
    if (!files.accepts(name)) return -Errno.ENOENT
    const names = namesTo(this)
    if (names.length >= maxDepth) return -Errno.ENAMETOOLONG
    // Only determines its type: operations on it go through `within`.
    const stat = files.lstat(`${pathOf(this.volume, names)}/${name}`)
    if (typeof stat === "number") return stat
    if (stat.type === FileType.directory) return this.#folder(name)
    this.#folders.delete(name)
    return stat.type === FileType.symbolicLink ? new HostLink(this, name) : new HostFile(this, name, stat.type)
  }

  #folder(name: string): HostFolder {
    const known = this.#folders.get(name)?.deref()
    if (known !== undefined) return known
    const folder = new HostFolder(this.volume, false)
    folder.parent = this
    folder.name = name
    this.#remember(name, folder)
    return folder
  }

  #remember(name: string, folder: HostFolder): void {
    this.#folders.set(name, new WeakRef(folder))
    if (this.#folders.size < this.#sweepAt) return
    for (const [old, reference] of this.#folders) if (reference.deref() === undefined) this.#folders.delete(old)
    this.#sweepAt = Math.max(64, this.#folders.size * 2)
  }

  override list(): ReadonlyArray<DirectoryEntry> | number {
    if (this.#removed) return -Errno.ENOENT
    const { files } = this.volume
    return files.within(this.hostPath(), (path) => {
      const found = files.list(path)
      if (typeof found === "number") return found
      const entries: Array<DirectoryEntry> = []
      for (const { name, type } of found) {
        const known = type ?? typeOf(files.lstat(`${path}/${name}`))
        // Skips names that were just removed, or that are not Unicode.
        if (known !== undefined) entries.push(this.#entry(name, known))
      }
      return entries
    })
  }

  /** Looks up the inode only when it is read, because that takes seconds in a folder of 100,000 names. */
  #entry(name: string, type: FileType): DirectoryEntry {
    const inode = (): number => {
      const stat = this.at(name, (path) => this.volume.files.lstat(path))
      return typeof stat === "number" ? 0 : stat.inode
    }
    return {
      name,
      type,
      get inode() {
        return inode()
      },
    }
  }

  override createFile(name: string, mode: number, open: NodeOpenOptions): OpenFile | number {
    return openHostFile(this, name, open, mode)
  }

  override createFolder(name: string, mode: number): number {
    return this.change(name, (path) => this.volume.files.makeDirectory(path, mode & 0o1777))
  }

  override createLink(name: string, target: string): number {
    // Programs of the host would write through it.
    const leadsIn = target.split("/").some((part) => part !== ".." && this.volume.protects(this.volume.root, part))
    return leadsIn ? -Errno.EPERM : this.change(name, (path) => this.volume.files.symlink(target, path))
  }

  override addName(name: string, node: Node): number {
    if (!(node instanceof HostFile || node instanceof HostLink)) return -Errno.EPERM
    // A second name of a protected file would let it be changed.
    return node.folder.change(node.name, (from) => this.change(name, (to) => this.volume.files.link(from, to)))
  }

  override removeFile(name: string, _node: Node): number {
    const { files, growth } = this.volume
    return this.change(name, (path) => {
      const last = files.lstat(path)
      const result = files.unlink(path)
      if (result === 0) growth.removed(last)
      return result
    })
  }

  override removeFolder(name: string, node: Folder): number {
    const last = node.stat()
    const result = this.change(name, (path) => this.volume.files.removeDirectory(path))
    if (result === 0) this.#forget(name, node, last)
    return result
  }

  override moveName(name: string, node: Node, to: Folder, toName: string, replaced: Node | undefined): number {
    if (!(to instanceof HostFolder)) return -Errno.EXDEV
    const last = replaced instanceof Folder ? replaced.stat() : 0
    const { files, growth } = this.volume
    const result = this.change(name, (from) =>
      to.change(toName, (path) => {
        const [moved, over] = [files.lstat(from), files.lstat(path)]
        const done = files.rename(from, path)
        // Both are names of the same file, so nothing is replaced.
        const same = typeof moved === "object" && typeof over === "object" && moved.inode === over.inode
        if (done === 0 && !same) growth.removed(over)
        return done
      }))
    if (result !== 0) return result
    if (replaced instanceof Folder) to.#forget(toName, replaced, last)
    if (node instanceof HostFolder) {
      this.#folders.delete(name)
      node.parent = to
      node.name = toName
      to.#remember(toName, node)
    }
    return 0
  }

  #forget(name: string, folder: Folder, last: Stat | number): void {
    this.#folders.delete(name)
    if (!(folder instanceof HostFolder)) return
    folder.#removed = true
    folder.#last = typeof last === "number" ? last : { ...last, links: 0 }
  }
}

const namesTo = (folder: HostFolder): Array<string> => {
  const names: Array<string> = []
  for (let at: Folder | undefined = folder; at instanceof HostFolder && !at.isRoot; at = at.parent) names.push(at.name)
  return names.reverse()
}

const pathOf = ({ root }: HostVolume, names: ReadonlyArray<string>): string => [root, ...names].join("/")

/** Makes a volume of a folder of the host. `protects`: whether a name, given from the folder on, may not be changed. */
export const makeHostFolder =
  (files: HostFiles, path: string, protects?: (names: ReadonlyArray<string>) => boolean): Volume => (context) => {
    const root = files.realFolder(path)
    return typeof root === "number" ? root : new HostFolder(new HostVolume(files, root, context, protects), true)
  }

/**
 * A folder of the host as a volume. Its files can be read and changed as far as the host allows this process; nothing
 * outside it can be reached. Wrap it in `readOnly` or `overlay` to keep it as it is.
 *
 * @throws {Error} where there is no `node:fs`: in a browser, or an edge isolate
 *
 * @example
 * ```ts
 * import { hostFolder, readOnly, Sandbox } from "@sluice/shell/sandbox"
 *
 * await using sandbox = await Sandbox.open({ mounts: { "/project": readOnly(hostFolder(".")) }, cwd: "/project" })
 * const { stdout } = await sandbox.run("ls -d src; rm -r src || echo kept")
 * console.log(stdout)
 * // src
 * // kept
 * ```
 */
export const hostFolder = (path: string): Volume => makeHostFolder(hostFiles(), path)
