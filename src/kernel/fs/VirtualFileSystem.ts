/**
 * Implements the kernel's file system calls, as POSIX defines them, over a tree of volumes.
 * Source: open(2), rename(2), link(2), unlink(2), mkdir(2), rmdir(2), symlink(2), as Linux answers.
 */
import { requireCount } from "../../base/OptionError.ts"
import { Errno } from "../Errno.ts"
import type { Descriptors, FileSystem, OpenOptions, Resolution } from "../FileSystem.ts"
import type { Directory, OpenFile } from "../OpenFile.ts"
import type { DirectoryEntry, Stat } from "../Stat.ts"
import { GrowthQuota } from "./GrowthQuota.ts"
import { forkOf, freeze } from "./freeze.ts"
import { memory } from "./memory.ts"
import { MemoryFile } from "./MemoryFile.ts"
import { MemoryFolder } from "./MemoryFolder.ts"
import { FileNode, Folder, LinkNode, type Node, Permission, type Volume, type VolumeContext } from "./Node.ts"
import { MountError, Mounts, type SharedMounts } from "./Mounts.ts"
import { OpenFolder } from "./OpenFolder.ts"
import { Follow, isName, isWithin, type ResolvedPath, resolvePath } from "./resolvePath.ts"

/** Options of a file system. */
export interface VirtualFileSystemOptions {
  /** Volumes by absolute path. Folders on the way are made. Default: memory at `/`. */
  readonly mounts?: Readonly<Record<string, Volume>> | undefined
  /** Returns the time for all timestamps, in nanoseconds since 1970. */
  readonly now: () => bigint
  /**
   * Maximum bytes by which the files of writable host folders may grow in total. Beyond it: `-ENOSPC`. Default: no
   * limit.
   */
  readonly maxHostGrowthBytes?: number | undefined
  /** Whether folders are listed by name, instead of in the order of their volumes. Default: `true`. */
  readonly sorted?: boolean | undefined
}

/** Options of a fork that differ from the original's. */
export interface ForkChanges extends Partial<Pick<VirtualFileSystemOptions, "now">> {
  /** Volumes by path that replace the mounted ones. */
  readonly mounts?: Readonly<Record<string, Volume>> | undefined
}

const change: number = Permission.write | Permission.execute

const byName = (a: DirectoryEntry, b: DirectoryEntry): number => a.name < b.name ? -1 : a.name > b.name ? 1 : 0

/** Returns the node of a resolved path; `-ENOTDIR` if a slash follows something other than a folder. */
const existing = ({ node, slash }: ResolvedPath): Node | number =>
  slash && typeof node !== "number" && !(node instanceof Folder) ? -Errno.ENOTDIR : node

/**
 * A file system: a tree of mounted volumes.
 *
 * @example
 * ```ts
 * import { errnoName, FileSystem } from "@sluice/shell/kernel"
 * import { devices, memory, readOnly } from "@sluice/shell/sandbox"
 *
 * const files = FileSystem.VirtualFileSystem.make({
 *   mounts: { "/": readOnly(memory()), "/dev": devices(), "/home/user": memory() },
 *   now: () => BigInt(Date.now()) * 1_000_000n,
 * })
 * console.log(files.makeDirectory(files.root, "/home/user/work", 0o755)) // 0
 * console.log(errnoName(files.makeDirectory(files.root, "/work", 0o755))) // EROFS
 * ```
 */
export class VirtualFileSystem extends Mounts implements FileSystem {
  readonly #descriptors: Descriptors | undefined

  private constructor(root: Folder, shared: SharedMounts, descriptors?: Descriptors) {
    super(root, shared)
    this.#descriptors = descriptors
  }

  /**
   * Makes a file system of volumes.
   *
   * @throws {Error} when a volume cannot be made (a missing host folder), or a path cannot be mounted on
   * @throws {OptionError} for a limit that is not a whole number
   */
  static make(options: VirtualFileSystemOptions): VirtualFileSystem {
    const { maxHostGrowthBytes: given = Infinity } = options
    const maxHostGrowthBytes = requireCount("VirtualFileSystem", "maxHostGrowthBytes", given, { min: 0 })
    let devices = 0
    const device = () => ++devices
    return VirtualFileSystem.#mountAll(options, device, new GrowthQuota(maxHostGrowthBytes))
  }

  static #mountAll(
    { mounts = {}, now, sorted = true }: VirtualFileSystemOptions,
    device: () => number,
    growth: GrowthQuota | undefined,
  ): VirtualFileSystem {
    const context: VolumeContext = { now, device, descriptors: () => shared.descriptors, growth }
    const shared: SharedMounts = { context, mounted: new Map(), sorted, descriptors: undefined }
    const { "/": first = memory(), ...others } = mounts
    const root = first(context)
    if (typeof root === "number") throw new MountError("/", root)
    shared.mounted.set(root, first)
    const system = new VirtualFileSystem(root, shared)
    for (const [path, volume] of Object.entries(others).sort(([a], [b]) => a.length - b.length)) {
      const mounted = system.mount(path, volume)
      if (mounted < 0) throw new MountError(path, mounted)
    }
    return system
  }

  /**
   * Makes a file system that starts with the state of this one and then changes independently: memory and the changes
   * of overlays are copied on write. Both use the same folders of the host; other volumes are created again.
   *
   * @throws {Error} when a volume cannot be made
   */
  fork(changes: ForkChanges = {}): VirtualFileSystem {
    const { context: { device, growth, now: current }, mounted, sorted } = this.shared
    const now = changes.now ?? current
    const mounts = Array.from(mounted, ([root, volume]): readonly [string, Volume] => [
      root.path,
      root instanceof MemoryFolder ? forkOf(freeze(root)) : volume,
    ])
    return VirtualFileSystem.#mountAll(
      { mounts: { ...Object.fromEntries(mounts), ...changes.mounts }, now, sorted },
      device,
      growth,
    )
  }

  /** Returns the file system as one process sees it: `/dev/fd` shows its descriptors. */
  withDescriptors(descriptors: Descriptors): VirtualFileSystem {
    return new VirtualFileSystem(this.root, this.shared, descriptors)
  }

  #walk(at: Directory, path: string, options: Resolution | undefined, follow: number): ResolvedPath | number {
    if (!(at instanceof Folder)) return -Errno.EBADF
    this.shared.descriptors = this.#descriptors
    const linkRoot = options?.linkRoot
    const links = linkRoot instanceof Folder ? linkRoot : undefined
    return resolvePath(this.root, at, path, follow, options?.beneath === true, links)
  }

  #find(at: Directory, path: string, options: Resolution | undefined): Node | number {
    const place = this.#walk(at, path, options, options?.follow === false ? Follow.slash : Follow.always)
    return typeof place === "number" ? place : existing(place)
  }

  /** Resolves a path where a name will be created; `-EEXIST` if it exists. */
  #resolveNew(at: Directory, path: string, options: Resolution | undefined, folder: boolean): ResolvedPath | number {
    const place = this.#walk(at, path, options, Follow.never)
    if (typeof place === "number") return place
    if (typeof place.node !== "number") return -Errno.EEXIST
    if (place.slash && !folder) return -Errno.ENOENT
    return place.folder.permits(change) ? place : -Errno.EACCES
  }

  /** Returns the folder at a path, as the start of paths: chdir(2). */
  directory(at: Directory, path: string, options?: Resolution): Directory | number {
    const node = this.#find(at, path, options)
    if (typeof node === "number") return node
    if (!(node instanceof Folder)) return -Errno.ENOTDIR
    return node.permits(Permission.execute) ? node : -Errno.EACCES
  }

  /** Opens a file or a folder: open(2). With `create` a missing file is created. */
  open(at: Directory, path: string, options: OpenOptions): OpenFile | number {
    const { create = false, exclusive = false, directory = false, read = false, write = false, truncate = false } =
      options
    if (create && directory) return -Errno.EINVAL
    const stay = options.follow === false
    const follow = !create ? stay ? Follow.slash : Follow.always : stay || exclusive ? Follow.never : Follow.plain
    const place = this.#walk(at, path, options, follow)
    if (typeof place === "number") return place
    if (create && place.slash && isName(place.name)) return -Errno.EISDIR
    const { node } = place
    const opening = { read, write, truncate, flags: options.flags ?? 0 }
    if (typeof node === "number") {
      if (!create) return node
      if (!place.folder.permits(change)) return -Errno.EACCES
      return place.folder.createFile(place.name, (options.mode ?? 0o666) & 0o7777, { ...opening, trusted: true })
    }
    if (create && exclusive) return -Errno.EEXIST
    if (node instanceof Folder) {
      if (write || truncate || create) return -Errno.EISDIR
      return node.permits(Permission.read) ? new OpenFolder(node, opening.flags) : -Errno.EACCES
    }
    if (directory || place.slash) return -Errno.ENOTDIR
    if (node instanceof FileNode) return node.open({ ...opening, trusted: false })
    return -Errno.ELOOP
  }

  /** Returns the stat of a file: stat(2). */
  stat(at: Directory, path: string, options?: Resolution): Stat | number {
    const node = this.#find(at, path, options)
    return typeof node === "number" ? node : node.stat()
  }

  /**
   * Loads the content of a lazy file, so that it can be read at once. Returns 0, also for other files, or an errno.
   *
   * @internal
   */
  load(at: Directory, path: string): number | Promise<number> {
    const node = this.#find(at, path, undefined)
    return node instanceof MemoryFile ? node.load() : 0
  }

  /** Lists a folder by name, or as its volume does, without `.` and `..`: readdir(3). */
  list(at: Directory): ReadonlyArray<DirectoryEntry> | number {
    if (!(at instanceof Folder)) return -Errno.EBADF
    if (!at.permits(Permission.read)) return -Errno.EACCES
    this.shared.descriptors = this.#descriptors
    const listed = at.list()
    if (typeof listed === "number") return listed
    const { mounts } = at
    const entries = mounts === undefined ? [...listed] : listed.filter(({ name }) => !mounts.has(name))
    for (const [name, folder] of mounts ?? []) {
      const stat = folder.stat()
      if (typeof stat !== "number") entries.push({ name, inode: stat.inode, type: stat.type })
    }
    return this.shared.sorted ? entries.sort(byName) : entries
  }

  /** Makes a folder: mkdir(2). No umask is applied. */
  makeDirectory(at: Directory, path: string, mode: number, options?: Resolution): number {
    const place = this.#resolveNew(at, path, options, true)
    return typeof place === "number" ? place : place.folder.createFolder(place.name, mode & 0o7777)
  }

  /** Makes a FIFO: mkfifo(3). No umask is applied. */
  makeFifo(at: Directory, path: string, mode: number, options?: Resolution): number {
    const place = this.#resolveNew(at, path, options, false)
    return typeof place === "number" ? place : place.folder.createFifo(place.name, mode & 0o7777)
  }

  /** Makes a symbolic link; its target need not exist: symlink(2). */
  symlink(target: string, at: Directory, path: string, options?: Resolution): number {
    if (target === "") return -Errno.ENOENT
    const place = this.#resolveNew(at, path, options, false)
    return typeof place === "number" ? place : place.folder.createLink(place.name, target)
  }

  /** Removes an empty folder: rmdir(2). `-EBUSY` where something is mounted. */
  removeDirectory(at: Directory, path: string, options?: Resolution): number {
    const place = this.#walk(at, path, options, Follow.never)
    if (typeof place === "number") return place
    const { folder, name, node } = place
    if (!isName(name)) return name === "." ? -Errno.EINVAL : name === ".." ? -Errno.ENOTEMPTY : -Errno.EBUSY
    if (typeof node === "number") return node
    if (!folder.permits(change)) return -Errno.EACCES
    if (!(node instanceof Folder)) return -Errno.ENOTDIR
    if (isMounted(folder, name) || holdsMounts(node)) return -Errno.EBUSY
    return folder.removeFolder(name, node)
  }

  /** Removes one name of a file or a link: unlink(2). `-EISDIR` for a folder, as on Linux. */
  unlink(at: Directory, path: string, options?: Resolution): number {
    const place = this.#walk(at, path, options, Follow.never)
    if (typeof place === "number") return place
    const { folder, name, node } = place
    if (!isName(name)) return -Errno.EISDIR
    if (typeof node === "number") return node
    if (place.slash) return node instanceof Folder ? -Errno.EISDIR : -Errno.ENOTDIR
    if (!folder.permits(change)) return -Errno.EACCES
    if (node instanceof Folder) return -Errno.EISDIR
    return folder.removeFile(name, node)
  }

  /** Renames a file or a folder, replacing an existing target: rename(2). `-EXDEV` between volumes. */
  rename(from: Directory, path: string, to: Directory, toPath: string, options?: Resolution): number {
    const old = this.#walk(from, path, options, Follow.never)
    if (typeof old === "number") return old
    const target = this.#walk(to, toPath, options, Follow.never)
    if (typeof target === "number") return target
    if (old.folder.volume !== target.folder.volume) return -Errno.EXDEV
    if (!isName(old.name) || !isName(target.name)) return -Errno.EBUSY
    const { node } = old
    if (typeof node === "number") return node
    const replaced = typeof target.node === "number" ? undefined : target.node
    if (node instanceof Folder) {
      if (isWithin(target.folder, node)) return -Errno.EINVAL
    } else if (old.slash || target.slash) return -Errno.ENOTDIR
    if (replaced instanceof Folder && isWithin(old.folder, replaced)) return -Errno.ENOTEMPTY
    if (replaced === node) return 0
    if (!old.folder.permits(change) || !target.folder.permits(change)) return -Errno.EACCES
    if (replaced !== undefined) {
      if (node instanceof Folder && !(replaced instanceof Folder)) return -Errno.ENOTDIR
      if (!(node instanceof Folder) && replaced instanceof Folder) return -Errno.EISDIR
    }
    // Its `..` entry changes as well.
    if (node instanceof Folder && old.folder !== target.folder && !node.permits(Permission.write)) return -Errno.EACCES
    if (isMounted(old.folder, old.name) || isMounted(target.folder, target.name)) return -Errno.EBUSY
    if (replaced instanceof Folder && holdsMounts(replaced)) return -Errno.EBUSY
    return old.folder.moveName(old.name, node, target.folder, target.name, replaced)
  }

  /** Makes a hard link: link(2). `-EXDEV` between volumes, `-EPERM` for a folder. */
  link(from: Directory, path: string, to: Directory, toPath: string, options?: Resolution): number {
    const old = this.#walk(from, path, options, options?.follow === false ? Follow.slash : Follow.always)
    if (typeof old === "number") return old
    const node = existing(old)
    if (typeof node === "number") return node
    const place = this.#resolveNew(to, toPath, options, false)
    if (typeof place === "number") return place
    if (old.folder.volume !== place.folder.volume) return -Errno.EXDEV
    if (node instanceof Folder) return -Errno.EPERM
    return place.folder.addName(place.name, node)
  }

  /** Returns the target of a symbolic link: readlink(2). */
  readlink(at: Directory, path: string, options?: Resolution): string | number {
    const node = this.#find(at, path, { ...options, follow: false })
    if (typeof node === "number") return node
    return node instanceof LinkNode ? node.readlink() : -Errno.EINVAL
  }

  /** Sets permission bits: chmod(2). `-ENOTSUP` for a link itself. */
  setMode(at: Directory, path: string, mode: number, options?: Resolution): number {
    const node = this.#find(at, path, options)
    if (typeof node === "number") return node
    return node instanceof LinkNode ? -Errno.ENOTSUP : node.setMode(mode & 0o7777)
  }

  /** Sets times in nanoseconds since 1970; `undefined` keeps a time: utimensat(2). */
  setTimes(
    at: Directory,
    path: string,
    accessed: bigint | undefined,
    modified: bigint | undefined,
    options?: Resolution,
  ): number {
    const node = this.#find(at, path, options)
    return typeof node === "number" ? node : node.setTimes(accessed, modified)
  }
}

const isMounted = (folder: Folder, name: string): boolean => folder.mounts?.has(name) === true

const holdsMounts = (folder: Folder): boolean => folder.mounts !== undefined && folder.mounts.size > 0
