/**
 * A file system as bytes, and back: a tar archive that every tar can open, so that people can look into it.
 *
 * In it is what is kept in memory: volumes of memory whole, of an overlay what was changed (a name that was removed is an
 * empty file `.wh.NAME`, as in the layers of container images). What is only shown (folders of the host, read-only
 * volumes, devices) is not in it. To restore, the same volumes have to be mounted.
 *
 * @module
 */
import { Errno, errnoName, errnoText } from "../Errno.ts"
import type { OpenFile } from "../OpenFile.ts"
import type { Stat } from "../Stat.ts"
import { concat } from "./concat.ts"
import { LayeredFile } from "./LayeredFile.ts"
import { LayeredFolder } from "./LayeredFolder.ts"
import { MemoryFile } from "./MemoryFile.ts"
import { MemoryFolder } from "./MemoryFolder.ts"
import { FileNode, Folder, LinkNode, type Node, type NodeOpen } from "./Node.ts"
import { archiveEnd, archiveHeader, memberHeader, padding, readTar, type TarEntry, type TarMember } from "./tar.ts"
import { checkName, checkPath } from "./walk.ts"
import type { VirtualFileSystem } from "./VirtualFileSystem.ts"

/** What the archive says of itself. */
const versionKey = "SLUICE.snapshot"
const version = "1"
/** What a member says that stands for a name that was removed; its value is the name. */
const hiddenKey = "SLUICE.hidden"
const pieceBytes = 65_536

const failed = (doing: string, path: string, errno: number): Error =>
  new Error(`snapshot: ${doing} ${path}: ${errnoText(errno)} (${errnoName(errno)})`)

const ok = <A>(doing: string, path: string, result: A | number): A => {
  if (typeof result === "number") throw failed(doing, path, result)
  return result
}

const trusted: NodeOpen = { read: false, write: false, truncate: false, flags: 0, trusted: true }

const entryOf = (type: TarEntry["type"], path: string, stat: Stat, more: Partial<TarEntry> = {}): TarEntry => ({
  path,
  type,
  mode: stat.mode,
  modified: stat.modified,
  accessed: stat.accessed,
  target: "",
  size: 0,
  records: new Map(),
  ...more,
})

const noRecord: TarEntry = {
  path: "",
  type: "file",
  mode: 0o644,
  modified: 0n,
  target: "",
  size: 0,
  records: new Map(),
}

/** A file's header and bytes; its holes are left out. Its times stay as they are. */
function* fileParts(path: string, node: MemoryFile): Generator<Uint8Array> {
  const stat = ok("reading", path, node.stat())
  const below = node instanceof LayeredFile && node.lower !== undefined
  const file = below ? ok("reading", path, node.open({ ...trusted, read: true })) : undefined
  try {
    const extents = below ? undefined : node.content.extents()
    yield* memberHeader(entryOf("file", path, stat, { size: stat.size, extents }))
    let written = 0
    for (const { length, offset } of extents ?? [{ offset: 0, length: stat.size }]) {
      for (let at = 0; at < length;) {
        // What has become shorter below ends with zeroes.
        const piece = new Uint8Array(Math.min(pieceBytes, length - at))
        const count = file?.readAt(offset + at, piece) ?? node.content.read(offset + at, piece)
        if (count < 0) throw failed("reading", path, count)
        yield piece
        at += piece.length
        written += piece.length
      }
    }
    yield padding(written)
  } finally {
    file?.release()
  }
}

/** A folder that is still to be written. */
interface Task {
  readonly folder: Folder
  readonly path: string
  /** All of it is written, not only what differs from what is below. */
  readonly whole: boolean
}

/** What of a folder is to be written: names, nodes, and whether the whole of each. */
function* childrenOf({ folder, path, whole }: Task): Generator<readonly [name: string, node: Node, own: boolean]> {
  if (!(folder instanceof LayeredFolder)) {
    if (folder instanceof MemoryFolder) { for (const [name, node] of folder.names) yield [name, node, true] }
    return
  }
  if (!whole) {
    for (const [name, node] of folder.names) {
      if (!folder.shows(name, node) || node instanceof LayeredFolder) yield [name, node, !folder.borrowed.has(name)]
    }
    return
  }
  for (const { name } of ok("reading", path, folder.list())) {
    yield [name, ok("reading", path, folder.lookup(name)), true]
  }
}

/** The archive of one volume, in pieces. */
function* volumeParts(root: MemoryFolder): Generator<Uint8Array> {
  const seen = new Map<Node, string>()
  const start = root.path.slice(1)
  const tasks: Array<Task> = [{ folder: root, path: start, whole: false }]
  if (root.changed) {
    yield* memberHeader(entryOf("folder", start === "" ? "." : start, ok("reading", start, root.stat())))
  }
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    const { folder, path } = task
    const under = path === "" ? "" : `${path}/`
    if (folder instanceof LayeredFolder && !task.whole) {
      for (const name of folder.hidden) {
        yield* memberHeader({ ...noRecord, path: `${under}.wh.${name}`, records: new Map([[hiddenKey, name]]) })
      }
    }
    for (const [name, node, own] of childrenOf(task)) {
      // What is mounted there is another volume.
      if (folder.mounts?.has(name) === true) continue
      const here = under + name
      const wrong = checkPath(here)
      if (wrong < 0) throw failed("writing", `${here.slice(0, 80)}…`, wrong)
      const first = seen.get(node)
      if (node instanceof Folder) {
        if (own || (node instanceof MemoryFolder && node.changed)) {
          yield* memberHeader(entryOf("folder", here, ok("reading", here, node.stat())))
        }
        tasks.push({ folder: node, path: here, whole: own && node instanceof LayeredFolder })
        continue
      }
      const stat = ok("reading", here, node.stat())
      if (first !== undefined) yield* memberHeader(entryOf("hardLink", here, stat, { target: first }))
      else if (node instanceof LinkNode) {
        yield* memberHeader(entryOf("link", here, stat, { target: ok("reading", here, node.readlink()) }))
      } else if (node instanceof MemoryFile) yield* fileParts(here, node)
      seen.set(node, here)
    }
  }
}

const volumesOf = (fs: VirtualFileSystem): ReadonlyArray<MemoryFolder> =>
  fs.volumes().filter((root) => root instanceof MemoryFolder).filter((root) => !root.volume.readOnly)

/**
 * What is kept in memory, as a tar archive in pieces of 64 KiB at most: nothing has to be held whole.
 *
 * @throws {Error} when a file cannot be read, or a path is longer than 4095
 */
export function* snapshotParts(fs: VirtualFileSystem): Generator<Uint8Array> {
  yield* archiveHeader([[versionKey, version]])
  for (const root of volumesOf(fs)) yield* volumeParts(root)
  yield archiveEnd()
}

/**
 * What is kept in memory, as a tar archive.
 *
 * @throws {Error} as {@link snapshotParts}
 */
export const snapshot = (fs: VirtualFileSystem): Uint8Array => concat(Array.from(snapshotParts(fs)))

/**
 * Brings back what a snapshot holds; whatever is in memory now is gone. Folders that are open, or somebody's working
 * directory, are other folders then: only files that are open stay what they are.
 *
 * @throws {Error} when the bytes are no snapshot: nothing has been changed then; when they do not fit into the volumes
 */
export const restore = (fs: VirtualFileSystem, archive: Uint8Array): void => {
  const { members, records } = readTar(archive)
  if (records.get(versionKey) !== version) throw new Error(`snapshot: this is no snapshot of version ${version}`)
  const kept = new Set<Folder>()
  for (const root of fs.volumes()) {
    for (let at: Folder | undefined = root; at !== undefined; at = at.parent) kept.add(at)
  }
  for (const root of volumesOf(fs)) {
    const folders: Array<MemoryFolder> = [root]
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const node of folder.forget(kept)) if (node instanceof MemoryFolder) folders.push(node)
    }
  }
  place(fs.root, members)
}

/**
 * Unpacks any tar archive into a folder. Members with `..` in their path, and those that would go through a symbolic
 * link, are refused; devices are left out.
 *
 * @throws {Error} when it is no tar archive, a member is refused, or it does not fit
 */
export const unpack = (folder: Folder, archive: Uint8Array): void => place(folder, readTar(archive).members)

const place = (root: Folder, members: ReadonlyArray<TarMember>): void => {
  // Last, and the inner ones first: what comes into a folder changes its time, and its mode may forbid it.
  const folders = new Map<Folder, TarMember>()
  for (const member of members) {
    const made = placeOne(root, member)
    if (made !== undefined) folders.set(made, member)
  }
  for (const [folder, member] of Array.from(folders).reverse()) {
    folder.setMode(member.mode)
    folder.setTimes(member.accessed ?? member.modified, member.modified)
  }
}

const namesOf = (path: string): ReadonlyArray<string> => {
  const names = path.split("/").filter((name) => name !== "" && name !== ".")
  if (names.includes("..")) throw failed("unpacking", path, -Errno.ENOTCAPABLE)
  const wrong = names.length === 0 ? 0 : names.map(checkName).find((fault) => fault < 0) ?? checkPath(path)
  if (wrong < 0) throw failed("unpacking", path.slice(0, 80), wrong)
  return names
}

const childOf = (folder: Folder, name: string): Node | number => folder.mounts?.get(name) ?? folder.lookup(name)

/** The folder where the last name goes; those on the way are made. */
const folderOf = (root: Folder, names: ReadonlyArray<string>, path: string): Folder => {
  let folder = root
  for (const name of names) {
    let next = childOf(folder, name)
    if (next === -Errno.ENOENT) {
      const made = folder.createFolder(name, 0o755)
      next = made < 0 ? made : childOf(folder, name)
    }
    const found = ok("unpacking", path, next)
    if (!(found instanceof Folder)) throw failed("unpacking", path, -Errno.ENOTDIR)
    folder = found
  }
  return folder
}

/** Answers with the folder that it made, or found. */
const placeOne = (root: Folder, member: TarMember): Folder | undefined => {
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
    if (gone < 0) throw failed("unpacking", path, gone)
  }
  if (type === "link") {
    const made = folder.createLink(name, member.target)
    if (made < 0) throw failed("unpacking", path, made)
  } else if (type === "hardLink") {
    const target = namesOf(member.target)
    const last = target.at(-1)
    const node = last === undefined ? -Errno.ENOENT : childOf(folderOf(root, target.slice(0, -1), path), last)
    const made = folder.addName(name, ok("unpacking", path, node))
    if (made < 0) throw failed("unpacking", path, made)
    return undefined
  } else {
    const file = ok("unpacking", path, folder.createFile(name, member.mode, { ...trusted, write: true }))
    try {
      fill(file, member)
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

const fill = (file: OpenFile, { content, extents, path, size }: TarMember): void => {
  let from = 0
  for (const { length, offset } of extents ?? [{ offset: 0, length: content.length }]) {
    for (let at = 0; at < length;) {
      const count = file.writeAt(offset + at, content.subarray(from + at, from + length))
      if (count <= 0) throw failed("unpacking", path, count)
      at += count
    }
    from += length
  }
  const cut = extents === undefined ? 0 : file.truncate(size)
  if (cut < 0) throw failed("unpacking", path, cut)
}
