import { FileType, type Stat } from "../../Stat.ts"
import { withoutEnd } from "./trim.ts"
import type { UtilityIo } from "./utility.ts"

/** A path with a name below it. */
export const joinPath = (folder: string, name: string): string =>
  folder.endsWith("/") ? folder + name : `${folder}/${name}`

/** The last part of a path. */
export const baseName = (path: string): string =>
  withoutEnd(path, "/").replace(/^.*\//s, "") || (path[0] === "/" ? "/" : path)

/** A path without its last part. */
export const dirName = (path: string): string => {
  const bare = withoutEnd(path, "/")
  if (bare === "") return path[0] === "/" ? "/" : "."
  const slash = bare.lastIndexOf("/")
  return slash < 0 ? "." : withoutEnd(bare.slice(0, slash), "/") || "/"
}

/** What a walk finds. */
export interface WalkEntry {
  readonly path: string
  readonly name: string
  readonly depth: number
  readonly stat: Stat
  /** Set it to stay out of this folder. */
  prune: boolean
}

/** How to walk. */
export interface WalkOptions {
  /** Links to folders are entered too. */
  readonly follow?: boolean
  /** What is in a folder comes before the folder. */
  readonly depthFirst?: boolean
  readonly skip?: (name: string) => boolean
  readonly maxDepth?: number
  /** Messages have the path in quotes, as those of `find`. */
  readonly quote?: boolean
}

/** Everything at a path and below, folders before what is in them, in the order of the file system. */
export async function* walk(io: UtilityIo, path: string, options: WalkOptions, depth = 0): AsyncGenerator<WalkEntry> {
  const { system } = io
  let stat = system.stat(path, { follow: options.follow === true || (depth === 0 && path.endsWith("/")) })
  if (typeof stat === "number" && options.follow) stat = system.stat(path, { follow: false })
  if (typeof stat === "number") return io.warn(options.quote ? `‘${path}’` : path, stat)
  const name = baseName(path)
  const found: WalkEntry = {
    depth,
    name,
    path,
    prune: depth > 0 && stat.type === FileType.directory && options.skip?.(name) === true,
    stat,
  }
  if (found.prune) return
  if (!options.depthFirst) yield found
  if (stat.type === FileType.directory && !found.prune && depth < (options.maxDepth ?? Infinity)) {
    const entries = system.list(path)
    if (typeof entries === "number") io.warn(options.quote ? `‘${path}’` : path, entries)
    // Deeper than this are only folders that links make endless.
    else if (depth < 512) {
      for (const entry of entries) {
        const pause = io.system.breathe()
        if (pause !== undefined) await pause
        yield* walk(io, joinPath(path, entry.name), options, depth + 1)
      }
    }
  }
  if (options.depthFirst) yield found
}
