/** Walks a directory tree, and reports unreadable entries. */
import { yieldNow } from "../../Coroutine.ts"
import { FileType, type Stat } from "../../Stat.ts"
import { baseName, joinPath } from "./paths.ts"
import type { UtilityIo } from "./defineUtility.ts"

/** A file or directory that a walk reached. */
export interface WalkEntry {
  readonly path: string
  readonly name: string
  readonly depth: number
  readonly stat: Stat
  /** Set it to leave out the content of this directory. */
  prune: boolean
}

export interface WalkOptions {
  readonly follow?: boolean
  readonly depthFirst?: boolean
  /** Leaves out directories below the first by name. */
  readonly skip?: (name: string) => boolean
  readonly maxDepth?: number
  /** Does not enter directories of other volumes than that of the first path. */
  readonly isOneVolume?: boolean
  /** Quotes paths in messages, as `find` does. */
  readonly quote?: boolean
}

/** No tree is walked deeper than this. */
const maxTreeDepth = 512

/** A directory around an entry. */
interface Ancestor {
  readonly path: string
  readonly stat: Stat
  readonly above: Ancestor | undefined
}

/** The directory around an entry that is the same directory, to which a link led back. */
const ancestorOf = (above: Ancestor | undefined, { device, inode }: Stat): Ancestor | undefined => {
  for (let at = above; at !== undefined; at = at.above) {
    if (at.stat.inode === inode && at.stat.device === device) return at
  }
  return undefined
}

/** Yields a path and everything below it, in the order of the file system. Reports unreadable entries. */
export async function* walk(
  io: UtilityIo,
  path: string,
  options: WalkOptions,
  depth = 0,
  above?: Ancestor,
  device?: number,
): AsyncGenerator<WalkEntry> {
  const { system } = io
  await yieldNow(system)
  const label = options.quote ? `‘${path}’` : path
  let stat = system.stat(path, { follow: options.follow === true || (depth === 0 && path.endsWith("/")) })
  if (typeof stat === "number" && options.follow) stat = system.stat(path, { follow: false })
  if (typeof stat === "number") return io.warn(label, stat)
  const name = baseName(path)
  const isDirectory = stat.type === FileType.directory
  if (isDirectory && depth > 0 && options.skip?.(name) === true) return
  const loop = isDirectory && options.follow === true ? ancestorOf(above, stat) : undefined
  if (loop !== undefined) {
    if (options.quote !== true) return io.printError(`${path}: warning: recursive directory loop`)
    return io.warn(`File system loop detected; ${label} is part of the same file system loop as ‘${loop.path}’.`)
  }
  const entry: WalkEntry = { depth, name, path, prune: false, stat }
  if (!options.depthFirst) yield entry
  const isOutside = options.isOneVolume === true && device !== undefined && stat.device !== device
  if (isDirectory && !isOutside && !entry.prune && depth < (options.maxDepth ?? Infinity)) {
    const children = system.list(path)
    if (typeof children === "number") io.warn(label, children)
    else if (depth < maxTreeDepth) {
      for (const child of children) {
        yield* walk(io, joinPath(path, child.name), options, depth + 1, { path, stat, above }, device ?? stat.device)
      }
    }
  }
  if (!options.depthFirst) return
  // On the way up from a deep directory, no other call yields to other processes.
  await yieldNow(system)
  yield entry
}
