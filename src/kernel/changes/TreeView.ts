/** Shows the files of a sandbox at one moment: files in memory are frozen, folders of the host are read live. */
import { Errno } from "../Errno.ts"
import { HostFolder } from "../fs/HostFolder.ts"
import { MemoryFolder } from "../fs/MemoryFolder.ts"
import { Folder, type Node } from "../fs/Node.ts"
import type { FrozenVolumes } from "./freezeVolumes.ts"

/** A file operation that failed while trees were compared. */
export class TreeError extends Error {
  readonly operation: string
  readonly path: string
  readonly errno: number

  constructor(operation: string, path: string, errno: number) {
    super(`${operation} ${path}: errno ${-errno}`)
    this.operation = operation
    this.path = path
    this.errno = errno
  }
}

/** Returns the result of a call; `undefined` for a name that does not exist. Throws for any other errno. */
export const foundOrThrow = <A>(path: string, result: A | number): A | undefined => {
  if (typeof result !== "number") return result
  if (result === -Errno.ENOENT || result === -Errno.ENOTDIR) return undefined
  throw new TreeError("look at", path, result)
}

/** Throws for an errno. */
export const needed = <A>(operation: string, path: string, result: A | number): A => {
  if (typeof result === "number") throw new TreeError(operation, path, result)
  return result
}

export class TreeView {
  /** Roots of volumes by the path where they are mounted; `undefined` for one whose files are not compared. */
  readonly mounts: ReadonlyMap<string, Folder | undefined>

  constructor(volumes: FrozenVolumes) {
    const isCompared = (root: Folder): boolean => root instanceof MemoryFolder || root instanceof HostFolder
    this.mounts = new Map(Array.from(volumes, ([path, root]) => [path, isCompared(root) ? root : undefined]))
  }

  /** Returns the node at a path, not through links; `undefined` if there is none, or if its volume is not compared. */
  find(path: string): Node | undefined {
    const names = path.split("/").filter((name) => name !== "")
    let node: Node | undefined = this.mounts.get("/")
    for (let count = 1; count <= names.length; count++) {
      const here = `/${names.slice(0, count).join("/")}`
      if (this.mounts.has(here)) node = this.mounts.get(here)
      else node = node instanceof Folder ? foundOrThrow(here, node.lookup(names[count - 1] ?? "")) : undefined
    }
    return node
  }

  /** Whether a path is in a volume that is not compared. */
  excludes(path: string): boolean {
    let found = "/"
    for (const mount of this.mounts.keys()) {
      if ((path === mount || path.startsWith(mount === "/" ? "/" : `${mount}/`)) && mount.length > found.length) {
        found = mount
      }
    }
    return this.mounts.has(found) && this.mounts.get(found) === undefined
  }
}
