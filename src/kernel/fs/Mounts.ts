/** Mounts volumes on paths of one file system tree. */
import { Errno, errnoName, errnoText } from "../Errno.ts"
import type { Descriptors, VolumeUsage } from "../FileSystem.ts"
import { memory } from "./memory.ts"
import { Folder, type Volume, type VolumeContext } from "./Node.ts"
import { Follow, isName, resolvePath } from "./resolvePath.ts"

/**
 * The state that all views of one file system share.
 *
 * @internal
 */
export interface SharedMounts {
  readonly context: VolumeContext
  /** Roots of mounted volumes, and what made each. Holding them keeps host folders with mounts in memory. */
  readonly mounted: Map<Folder, Volume>
  readonly sorted: boolean
  /** Descriptors of the process whose call is running: no call waits. */
  descriptors: Descriptors | undefined
}

export class MountError extends Error {
  readonly path: string
  readonly errno: number

  constructor(path: string, errno: number) {
    super(`file system: mounting ${path}: ${errnoText(errno)} (${errnoName(errno)})`)
    this.path = path
    this.errno = errno
  }
}

/** A tree of mounted volumes. */
export abstract class Mounts {
  /** The folder from which absolute paths start. */
  readonly root: Folder
  /** The state shared with other views of the tree. */
  protected readonly shared: SharedMounts

  /** Makes a view of a tree. */
  constructor(root: Folder, shared: SharedMounts) {
    this.root = root
    this.shared = shared
  }

  /**
   * Mounts a volume on an absolute path. Missing folders on the way are made, also in host folders; where none can be
   * made, they exist only as mounts. Returns 0 or a negative errno.
   */
  mount(path: string, volume: Volume): number {
    const names = path.split("/").filter((name) => name !== "" && name !== ".")
    const last = names.pop()
    if (last === undefined) return -Errno.EBUSY
    let folder = this.root
    for (const name of names) {
      const found = this.#enter(folder, name)
      if (typeof found === "number") return found
      folder = found
    }
    if (folder.mounts?.has(last) === true) return -Errno.EBUSY
    const place = resolvePath(this.root, folder, last, Follow.never, true)
    if (typeof place === "number") return place
    if (!isName(place.name)) return -Errno.EINVAL
    if (typeof place.node !== "number" && !(place.node instanceof Folder)) return -Errno.ENOTDIR
    // The folder exists even without the mount, unless it cannot be made.
    if (typeof place.node === "number") folder.createFolder(last, 0o755)
    return this.#attach(folder, last, volume)
  }

  /** Returns the roots of all volumes, that of `/` first. */
  volumes(): ReadonlyArray<Folder> {
    return Array.from(this.shared.mounted.keys())
  }

  /** Returns the space of each mounted volume, that of `/` first. */
  usage(): ReadonlyArray<VolumeUsage> {
    return this.volumes().map((root) => ({ path: root.path, ...root.usage() }))
  }

  #attach(folder: Folder, name: string, volume: Volume): number {
    const mounted = volume(this.shared.context)
    if (typeof mounted === "number") return mounted
    mounted.parent = folder
    mounted.name = name
    folder.mounts ??= new Map()
    folder.mounts.set(name, mounted)
    this.shared.mounted.set(mounted, volume)
    return 0
  }

  /** Returns the folder of a name, which is made if it does not exist. */
  #enter(folder: Folder, name: string): Folder | number {
    for (let tries = 0;; tries++) {
      const place = resolvePath(this.root, folder, name, Follow.always, false)
      if (typeof place === "number") return place
      if (place.node instanceof Folder) return place.node
      if (typeof place.node !== "number") return -Errno.ENOTDIR
      if (tries > 0) return place.node
      if (place.folder.createFolder(place.name, 0o755) === 0) continue
      const made = this.#attach(place.folder, place.name, memory())
      if (made < 0) return made
    }
  }
}
