/**
 * Resolves a path to a node through links and mounts, optionally confined to a folder.
 * Source: path_resolution(7), symlink(7); openat2(2) `RESOLVE_BENEATH`.
 */
import { Errno } from "../Errno.ts"
import { Folder, LinkNode, type Node, Permission } from "./Node.ts"

/** Whether a symbolic link in the last component is followed. */
export const Follow = {
  never: 0,
  /** Only before a trailing slash, where it must lead to a folder. */
  slash: 1,
  always: 2,
  /** Only without a trailing slash, to create a file there. */
  plain: 3,
} as const

const maxLinks = 40
const maxNameBytes = 255
/** PATH_MAX without its NUL. */
const maxPathBytes = 4095
const slashCode = 47

export interface ResolvedPath {
  readonly folder: Folder
  /** The last name. For a path that ends in `.`, `..` or `/` it is that ending, and `node` is the folder itself. */
  readonly name: string
  /** The node of the name; `-ENOENT` if the folder has no such name. */
  readonly node: Node | number
  /** Whether a slash follows the last name. */
  readonly slash: boolean
}

/** Whether a last name can be created, moved or removed. */
export const isName = (name: string): boolean => name !== "." && name !== ".." && name !== "/"

/** Whether a text has more than `max` bytes in UTF-8. */
const exceedsBytes = (text: string, max: number): boolean => {
  if (text.length * 3 <= max) return false
  let bytes = text.length
  for (let i = 0; i < text.length && bytes <= max; i++) {
    const unit = text.charCodeAt(i)
    // Each half of a surrogate pair counts for two of the four bytes.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit & 0xf800) !== 0xd800 ? 2 : 1
  }
  return bytes > max
}

/** Returns 0 for a valid path, whether or not it exists. */
export const checkPath = (path: string): number => {
  if (path === "") return -Errno.ENOENT
  if (path.includes("\0")) return -Errno.EINVAL
  if (exceedsBytes(path, maxPathBytes)) return -Errno.ENAMETOOLONG
  // Text that is not well-formed has no UTF-8 form: two such names could become one on the host.
  return path.isWellFormed() ? 0 : -Errno.EILSEQ
}

export const checkName = (name: string): number => exceedsBytes(name, maxNameBytes) ? -Errno.ENAMETOOLONG : 0

export const isWithin = (folder: Folder, other: Folder): boolean => {
  for (let at: Folder | undefined = folder; at !== undefined; at = at.parent) {
    if (at === other) return true
  }
  return false
}

/** Resolves an absolute link of a confined path from `linkRoot`; reveals nothing about targets that are not beneath `start`. */
const throughLink = (linkRoot: Folder, start: Folder, target: string, follow: number): ResolvedPath | number => {
  const place = resolvePath(linkRoot, linkRoot, target, follow, false)
  if (typeof place === "number") return linkRoot === start ? place : -Errno.ENOTCAPABLE
  return isWithin(place.folder, start) ? place : -Errno.ENOTCAPABLE
}

/** Resolves a path from a folder. Absolute paths and links start at `root`; links of a confined path at `linkRoot`. */
export const resolvePath = (
  root: Folder,
  start: Folder,
  path: string,
  follow: number,
  beneath: boolean,
  linkRoot?: Folder,
): ResolvedPath | number => {
  const wrong = checkPath(path)
  if (wrong !== 0) return wrong
  let folder = start
  let rest = path
  let at = 0
  let links = 0
  for (;;) {
    if (at === 0 && rest.charCodeAt(0) === slashCode) {
      if (beneath) return -Errno.ENOTCAPABLE
      folder = root
      while (rest.charCodeAt(at) === slashCode) at++
      if (at === rest.length) return { folder, name: "/", node: folder, slash: true }
    }
    const found = rest.indexOf("/", at)
    const end = found < 0 ? rest.length : found
    let next = end
    while (rest.charCodeAt(next) === slashCode) next++
    const last = next === rest.length
    const slash = next > end
    const name = rest.slice(at, end)
    if (!folder.permits(Permission.execute)) return -Errno.EACCES
    if (name === "." || name === "..") {
      if (name === "..") {
        const above: Folder = folder === root ? root : folder.parent ?? folder
        // Checked at every folder: `/dev/fd` and a moved folder lead to places from which `start` is never reached.
        if (beneath && (folder === start || !isWithin(above, start))) return -Errno.ENOTCAPABLE
        folder = above
      }
      if (last) return { folder, name, node: folder, slash }
      at = next
      continue
    }
    const tooLong = checkName(name)
    if (tooLong !== 0) return tooLong
    const node = folder.mounts?.get(name) ?? folder.lookup(name)
    if (
      node instanceof LinkNode &&
      (!last || follow === Follow.always || follow === (slash ? Follow.slash : Follow.plain))
    ) {
      if (++links > maxLinks) return -Errno.ELOOP
      const target = node.readlink()
      if (typeof target === "number") return target
      const bad = checkPath(target)
      if (bad !== 0) return bad
      rest = target + rest.slice(end)
      at = 0
      if (beneath && linkRoot !== undefined && target.startsWith("/")) {
        return throughLink(linkRoot, start, rest, follow)
      }
      continue
    }
    if (last) return typeof node === "number" && node !== -Errno.ENOENT ? node : { folder, name, node, slash }
    if (typeof node === "number") return node
    if (!(node instanceof Folder)) return -Errno.ENOTDIR
    folder = node
    at = next
  }
}
