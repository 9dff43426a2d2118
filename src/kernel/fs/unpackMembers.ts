/** Unpacks the members of a tar archive into a folder, and refuses paths that lead outside. */
import type { Coroutine } from "../Coroutine.ts"
import { Errno } from "../Errno.ts"
import type { OpenFile } from "../OpenFile.ts"
import { LayeredFolder } from "./LayeredFolder.ts"
import { FileNode, Folder, LinkNode, type Node } from "./Node.ts"
import { hiddenKey, makeSnapshotError, throwOnErrno, trustedOpen } from "./snapshotFormat.ts"
import type { TarMember } from "./tar.ts"
import { checkName, checkPath } from "./resolvePath.ts"

const pieceBytes = 1_048_576

/**
 * Unpacks an archive into a folder, without devices; yields from time to time. Throws for a path that contains `..` or passes
 * through a link.
 */
export function* unpackMembers(root: Folder, members: ReadonlyArray<TarMember>): Coroutine<void> {
  // Folder modes and times are set last, inner folders first: adding entries changes the time, and the mode may forbid it.
  const folders = new Map<Folder, TarMember>()
  for (const member of members) {
    const made = yield* placeMember(root, member)
    if (made !== undefined) folders.set(made, member)
    yield
  }
  for (const [folder, member] of Array.from(folders).reverse()) {
    folder.setMode(member.mode)
    folder.setTimes(member.accessed ?? member.modified, member.modified)
  }
}

const namesOf = (path: string): ReadonlyArray<string> => {
  const names = path.split("/").filter((name) => name !== "" && name !== ".")
  if (names.includes("..")) throw makeSnapshotError("unpacking", path, -Errno.ENOTCAPABLE)
  const wrong = names.length === 0 ? 0 : names.map(checkName).find((fault) => fault < 0) ?? checkPath(path)
  if (wrong < 0) throw makeSnapshotError("unpacking", path.slice(0, 80), wrong)
  return names
}

const childOf = (folder: Folder, name: string): Node | number => folder.mounts?.get(name) ?? folder.lookup(name)

/** Returns the folder of a path; missing folders are made. */
const folderOf = (root: Folder, names: ReadonlyArray<string>, path: string): Folder => {
  let folder = root
  for (const name of names) {
    let next = childOf(folder, name)
    if (next === -Errno.ENOENT) {
      const made = folder.createFolder(name, 0o755)
      next = made < 0 ? made : childOf(folder, name)
    }
    const found = throwOnErrno("unpacking", path, next)
    if (!(found instanceof Folder)) throw makeSnapshotError("unpacking", path, -Errno.ENOTDIR)
    folder = found
  }
  return folder
}

function* placeMember(root: Folder, member: TarMember): Coroutine<Folder | undefined> {
  const { path, type } = member
  const names = namesOf(path)
  const name = names.at(-1)
  if (type === "other") return undefined
  if (name === undefined) return type === "folder" ? root : undefined
  const folder = folderOf(root, names.slice(0, -1), path)
  const hidden = member.records.get(hiddenKey)
  if (hidden !== undefined) {
    if (folder instanceof LayeredFolder && namesOf(hidden).length === 1) folder.hide(hidden)
    return undefined
  }
  if (type === "folder") return folderOf(folder, [name], path)
  const there = childOf(folder, name)
  if (typeof there !== "number") {
    const gone = there instanceof Folder ? folder.removeFolder(name, there) : folder.removeFile(name, there)
    if (gone < 0) throw makeSnapshotError("unpacking", path, gone)
  }
  if (type === "link" || type === "fifo") {
    const made = type === "link" ? folder.createLink(name, member.target) : folder.createFifo(name, member.mode)
    if (made < 0) throw makeSnapshotError("unpacking", path, made)
  } else if (type === "hardLink") {
    const target = namesOf(member.target)
    const last = target.at(-1)
    const node = last === undefined ? -Errno.ENOENT : childOf(folderOf(root, target.slice(0, -1), path), last)
    const made = folder.addName(name, throwOnErrno("unpacking", path, node))
    if (made < 0) throw makeSnapshotError("unpacking", path, made)
    return undefined
  } else {
    const file = throwOnErrno("unpacking", path, folder.createFile(name, member.mode, { ...trustedOpen, write: true }))
    try {
      yield* fill(file, member)
    } finally {
      file.release()
    }
  }
  const node = childOf(folder, name)
  if (node instanceof FileNode || node instanceof LinkNode) {
    node.setTimes(member.accessed ?? member.modified, member.modified)
  }
  return undefined
}

function* fill(file: OpenFile, { content, extents, path, size }: TarMember): Coroutine<void> {
  let from = 0
  for (const { length, offset } of extents ?? [{ offset: 0, length: content.length }]) {
    for (let at = 0; at < length;) {
      const count = file.writeAt(offset + at, content.subarray(from + at, from + Math.min(length, at + pieceBytes)))
      if (count <= 0) throw makeSnapshotError("unpacking", path, count)
      at += count
      yield
    }
    from += length
  }
  const cut = extents === undefined ? 0 : file.truncate(size)
  if (cut < 0) throw makeSnapshotError("unpacking", path, cut)
}
