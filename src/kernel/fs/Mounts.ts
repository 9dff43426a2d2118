/**
 * Mounts volumes on paths of one tree.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import type { Descriptors } from "../FileSystem.ts"
import { memory } from "./memory.ts"
import { Folder, type Volume, type VolumeContext } from "./Node.ts"
import { Follow, isName, resolvePath } from "./resolvePath.ts"

/**
 * What the views of one file system share.
 *
 * @internal
 */
export interface Shared {
  readonly context: VolumeContext
  /** A folder of the host is forgotten when nobody has it; not so when something is mounted in it. */
  readonly mounted: Array<Folder>
  /** Those of the process whose call is under way: no call waits. */
  descriptors: Descriptors | undefined
}

/** A tree from `/`. */
export abstract class Mounts {
  /** The folder from which absolute paths start. */
  readonly root: Folder
  /** What it has in common with other views of the same tree. */
  protected readonly shared: Shared

  /** A view of the tree below a root. */
  constructor(root: Folder, shared: Shared) {
    this.root = root
    this.shared = shared
  }

  /**
   * Mounts a volume on an absolute path. What is not there of the way is made, in a folder of the host as well; where
   * nothing can be made, it is only seen.
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
    // So that it can be seen even without the mount; where it cannot be made, the mount alone is seen.
    if (typeof place.node === "number") folder.createFolder(last, 0o755)
    return this.#attach(folder, last, volume)
  }

  /** The roots of all volumes, the first one's first. */
  volumes(): ReadonlyArray<Folder> {
    return [this.root, ...this.shared.mounted]
  }

  #attach(folder: Folder, name: string, volume: Volume): number {
    const mounted = volume(this.shared.context)
    if (typeof mounted === "number") return mounted
    mounted.parent = folder
    mounted.name = name
    folder.mounts ??= new Map()
    folder.mounts.set(name, mounted)
    this.shared.mounted.push(mounted)
    return 0
  }

  /** The folder of that name, made when it is not there. */
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
