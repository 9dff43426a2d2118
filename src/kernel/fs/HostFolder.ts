/**
 * A folder of the host as a volume. Links are resolved by the file system above, inside its own tree, so that `..`, an
 * absolute link or a link that leads out end at the volume's root or elsewhere in the sandbox, never in the host.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import { FileFlag, type OpenFile } from "../OpenFile.ts"
import { type DirectoryEntry, FileType, type Stat } from "../Stat.ts"
import type { HostFiles } from "./HostFiles.ts"
import { FileNode, Folder, LinkNode, type Node, type NodeOpen, type Volume, type VolumeContext } from "./Node.ts"
import { OpenHostFile } from "./OpenHostFile.ts"

/** What all nodes of one host folder share. */
class HostVolume {
  readonly files: HostFiles
  /** Its canonical path on the host. */
  readonly root: string
  readonly #context: VolumeContext
  readonly #devices = new Map<number, number>()

  constructor(files: HostFiles, root: string, context: VolumeContext) {
    this.files = files
    this.root = root
    this.#context = context
  }

  /** With a device number of this file system: the host's own may be that of another volume here. */
  readonly asSeen = (stat: Stat): Stat => {
    let device = this.#devices.get(stat.device)
    if (device === undefined) this.#devices.set(stat.device, device = this.#context.device())
    return { ...stat, device }
  }
}

/** A folder of the host, or one within it. */
class HostFolder extends Folder {
  override readonly volume: HostVolume
  /** The folders in it that somebody has: each is one object, which moves along when it is renamed. */
  readonly #folders = new Map<string, WeakRef<HostFolder>>()
  #removed = false
  /** What it was when it was removed, for those who still have it open. */
  #last: Stat | number = -Errno.ENOENT
  #sweepAt = 64
  readonly isRoot: boolean

  constructor(volume: HostVolume, isRoot: boolean) {
    super()
    this.volume = volume
    this.isRoot = isRoot
  }

  /** Its path on the host. */
  hostPath(): string {
    return hostPathOf(this)
  }

  /** Calls with a path of the name that leads to this folder, whatever happens on the host meanwhile. */
  at<A>(name: string, use: (path: string) => A | number): A | number {
    if (this.#removed) return -Errno.ENOENT
    if (!this.volume.files.accepts(name)) return -Errno.EINVAL
    return this.volume.files.within(this.hostPath(), (path) => use(`${path}/${name}`))
  }

  override stat(): Stat | number {
    if (this.#removed) return this.#last
    const { asSeen, files } = this.volume
    const stat = files.within(this.hostPath(), (path) => files.lstat(`${path}/.`))
    return typeof stat === "number" ? stat : asSeen(stat)
  }

  override setMode(mode: number): number {
    return this.#removed ? -Errno.ENOENT : this.#self((path) => this.volume.files.setMode(`${path}/.`, mode & 0o1777))
  }

  override setTimes(accessed: bigint | undefined, modified: bigint | undefined): number {
    return this.#removed ? -Errno.ENOENT : this.#self((path) => setTimes(this.volume, `${path}/.`, accessed, modified))
  }

  #self(use: (path: string) => number): number {
    return this.volume.files.within(this.hostPath(), use)
  }

  override lookup(name: string): Node | number {
    if (this.#removed) return -Errno.ENOENT
    const { files } = this.volume
    if (!files.accepts(name)) return -Errno.ENOENT
    // Only to learn what it is: what is then done with it is done `within`.
    const stat = files.lstat(`${this.hostPath()}/${name}`)
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
      const names = files.list(path)
      if (typeof names === "number") return names
      const entries: Array<DirectoryEntry> = []
      for (const name of names) {
        // What has just gone, or whose name is no Unicode, cannot be had.
        const stat = files.lstat(`${path}/${name}`)
        if (typeof stat !== "number") entries.push({ name, inode: stat.inode, type: stat.type })
      }
      return entries
    })
  }

  override createFile(name: string, mode: number, open: NodeOpen): OpenFile | number {
    return openAt(this, name, open, mode)
  }

  override createFolder(name: string, mode: number): number {
    return this.at(name, (path) => this.volume.files.makeDirectory(path, mode & 0o1777))
  }

  override createLink(name: string, target: string): number {
    return this.at(name, (path) => this.volume.files.symlink(target, path))
  }

  override addName(name: string, node: Node): number {
    if (!(node instanceof HostFile || node instanceof HostLink)) return -Errno.EPERM
    return node.folder.at(node.name, (from) => this.at(name, (to) => this.volume.files.link(from, to)))
  }

  override removeFile(name: string, _node: Node): number {
    return this.at(name, (path) => this.volume.files.unlink(path))
  }

  override removeFolder(name: string, node: Folder): number {
    const last = node.stat()
    const result = this.at(name, (path) => this.volume.files.removeDirectory(path))
    if (result === 0) this.#forget(name, node, last)
    return result
  }

  override moveName(name: string, node: Node, to: Folder, toName: string, replaced: Node | undefined): number {
    if (!(to instanceof HostFolder)) return -Errno.EXDEV
    const last = replaced instanceof Folder ? replaced.stat() : 0
    const result = this.at(name, (from) => to.at(toName, (path) => this.volume.files.rename(from, path)))
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

const hostPathOf = (folder: HostFolder): string => {
  let path = ""
  for (let at: Folder | undefined = folder; at instanceof HostFolder && !at.isRoot; at = at.parent) {
    path = `/${at.name}${path}`
  }
  return folder.volume.root + path
}

const openAt = (folder: HostFolder, name: string, open: NodeOpen, create?: number): OpenFile | number => {
  const { asSeen, files } = folder.volume
  return folder.at(name, (path) => {
    const append = (open.flags & FileFlag.append) !== 0
    // setuid and setgid are not for a sandbox to give: the host might run it.
    const mode = create === undefined ? undefined : create & 0o1777
    const handle = files.open(path, { read: open.read, write: open.write || open.truncate, append, create: mode })
    if (handle < 0) return handle
    // Not by O_TRUNC: only what has turned out to be a regular file is cut.
    const cut = open.truncate && create === undefined ? files.truncate(handle, 0) : 0
    if (cut < 0) {
      files.close(handle)
      return cut
    }
    return new OpenHostFile(files, handle, open.read, open.write, open.flags, asSeen)
  })
}

const setTimes = (
  { files }: HostVolume,
  path: string,
  accessed: bigint | undefined,
  modified: bigint | undefined,
): number => {
  const stat = files.lstat(path)
  if (typeof stat === "number") return stat
  return files.setTimes(path, accessed ?? stat.accessed, modified ?? stat.modified)
}

const statAt = (folder: HostFolder, name: string): Stat | number => {
  const stat = folder.at(name, folder.volume.files.lstat)
  return typeof stat === "number" ? stat : folder.volume.asSeen(stat)
}

/** A file of the host; a pipe, a socket or a device is seen, but cannot be opened. */
class HostFile extends FileNode {
  override readonly type: FileType
  readonly folder: HostFolder
  readonly name: string

  constructor(folder: HostFolder, name: string, type: FileType) {
    super()
    this.folder = folder
    this.name = name
    this.type = type
  }

  override stat(): Stat | number {
    return statAt(this.folder, this.name)
  }

  override setMode(mode: number): number {
    return this.folder.at(this.name, (path) => this.folder.volume.files.setMode(path, mode & 0o1777))
  }

  override setTimes(accessed: bigint | undefined, modified: bigint | undefined): number {
    return this.folder.at(this.name, (path) => setTimes(this.folder.volume, path, accessed, modified))
  }

  override open(options: NodeOpen): OpenFile | number {
    return this.type === FileType.regularFile ? openAt(this.folder, this.name, options) : -Errno.ENXIO
  }
}

class HostLink extends LinkNode {
  readonly folder: HostFolder
  readonly name: string

  constructor(folder: HostFolder, name: string) {
    super()
    this.folder = folder
    this.name = name
  }

  override stat(): Stat | number {
    return statAt(this.folder, this.name)
  }

  override setTimes(accessed: bigint | undefined, modified: bigint | undefined): number {
    return this.folder.at(this.name, (path) => setTimes(this.folder.volume, path, accessed, modified))
  }

  override readlink(): string | number {
    return this.folder.at(this.name, this.folder.volume.files.readlink)
  }
}

/**
 * A folder of the host. What is in it can be read and changed as far as the host lets this process; nothing outside it
 * can be reached. `files` are the host's calls, `path` is the folder's path on the host.
 */
export const hostFolder = (files: HostFiles, path: string): Volume => (context) => {
  const root = files.realFolder(path)
  return typeof root === "number" ? root : new HostFolder(new HostVolume(files, root, context), true)
}
