/**
 * Writes in-memory volumes and the changes of overlays as a tar archive with sparse files and hard links; a removed name is an
 * empty file `.wh.NAME`, as in layers of container images. Restoring needs the same mounts.
 */
import { concatBytes } from "../../base/bytes.ts"
import type { Stat } from "../Stat.ts"
import { LayeredFile } from "./LayeredFile.ts"
import { LayeredFolder } from "./LayeredFolder.ts"
import { MemoryFifo } from "./MemoryFifo.ts"
import { MemoryFile } from "./MemoryFile.ts"
import { MemoryFolder } from "./MemoryFolder.ts"
import { Folder, LinkNode, type Node } from "./Node.ts"
import {
  hiddenKey,
  makeSnapshotError,
  shellKey,
  throwOnErrno,
  trustedOpen,
  version,
  versionKey,
  volumesOf,
} from "./snapshotFormat.ts"
import { padding, type TarEntry } from "./tar.ts"
import { archiveEnd, archiveHeader, memberHeader } from "./tarWriter.ts"
import type { VirtualFileSystem } from "./VirtualFileSystem.ts"
import { checkPath } from "./resolvePath.ts"

const pieceBytes = 65_536

const entryOf = (
  type: TarEntry["type"],
  path: string,
  stat: Pick<Stat, "mode" | "modified"> & Partial<Stat>,
  more: Partial<TarEntry> = {},
): TarEntry => ({
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

/** Writes a file's header and bytes without its holes. Its times do not change. */
function* fileParts(path: string, node: MemoryFile): Generator<Uint8Array> {
  const stat = throwOnErrno("reading", path, node.stat())
  if (!node.isLoaded) throw new Error(`snapshot: reading ${path}: its content was not loaded`)
  const below = node instanceof LayeredFile && node.lower !== undefined
  const file = below ? throwOnErrno("reading", path, node.open({ ...trustedOpen, read: true })) : undefined
  try {
    const extents = below ? undefined : node.content.extents()
    yield* memberHeader(entryOf("file", path, stat, { size: stat.size, extents }))
    let written = 0
    for (const { length, offset } of extents ?? [{ offset: 0, length: stat.size }]) {
      for (let at = 0; at < length;) {
        // A lower file that has become shorter is padded with zeroes.
        const piece = new Uint8Array(Math.min(pieceBytes, length - at))
        const count = file?.readAt(offset + at, piece) ?? node.content.read(offset + at, piece)
        if (count < 0) throw makeSnapshotError("reading", path, count)
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

interface Task {
  readonly folder: Folder
  readonly path: string
  /** Whether all of it is written, rather than only the differences from the lower volume. */
  readonly whole: boolean
}

/** Yields the nodes of a folder to write, and whether each is written whole. */
function* childrenOf({ folder, path, whole }: Task): Generator<readonly [name: string, node: Node, own: boolean]> {
  if (!(folder instanceof LayeredFolder)) {
    if (folder instanceof MemoryFolder) { for (const [name, node] of folder.names) yield [name, node, true] }
    return
  }
  if (!whole) {
    for (const [name, node] of folder.names) {
      if (!folder.isUnchanged(name, node) || node instanceof LayeredFolder) {
        yield [name, node, !folder.borrowed.has(name)]
      }
    }
    return
  }
  for (const { name } of throwOnErrno("reading", path, folder.list())) {
    yield [name, throwOnErrno("reading", path, folder.lookup(name)), true]
  }
}

function* volumeParts(root: MemoryFolder): Generator<Uint8Array> {
  const seen = new Map<Node, string>()
  const start = root.path.slice(1)
  const tasks: Array<Task> = [{ folder: root, path: start, whole: false }]
  if (root.changed) {
    yield* memberHeader(entryOf("folder", start === "" ? "." : start, throwOnErrno("reading", start, root.stat())))
  }
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    const { folder, path } = task
    const under = path === "" ? "" : `${path}/`
    if (folder instanceof LayeredFolder && !task.whole) {
      for (const name of folder.hidden.keys()) {
        const records = new Map([[hiddenKey, name]])
        yield* memberHeader(entryOf("file", `${under}.wh.${name}`, { mode: 0o644, modified: 0n }, { records }))
      }
    }
    for (const [name, node, own] of childrenOf(task)) {
      // A mount is another volume.
      if (folder.mounts?.has(name) === true) continue
      const here = under + name
      const wrong = checkPath(here)
      if (wrong < 0) throw makeSnapshotError("writing", `${here.slice(0, 80)}…`, wrong)
      const first = seen.get(node)
      if (node instanceof Folder) {
        if (own || (node instanceof MemoryFolder && node.changed)) {
          yield* memberHeader(entryOf("folder", here, throwOnErrno("reading", here, node.stat())))
        }
        tasks.push({ folder: node, path: here, whole: own && node instanceof LayeredFolder })
        continue
      }
      const stat = throwOnErrno("reading", here, node.stat())
      if (first !== undefined) yield* memberHeader(entryOf("hardLink", here, stat, { target: first }))
      else if (node instanceof LinkNode) {
        yield* memberHeader(entryOf("link", here, stat, { target: throwOnErrno("reading", here, node.readlink()) }))
      } else if (node instanceof MemoryFifo) yield* memberHeader(entryOf("fifo", here, stat))
      else if (node instanceof MemoryFile) yield* fileParts(here, node)
      seen.set(node, here)
    }
  }
}

/**
 * Yields the files in memory as a tar archive, in pieces of at most 64 KiB except for `shell`, the state of a shell.
 * Throws when a file cannot be read.
 */
export function* snapshotParts(fs: VirtualFileSystem, shell?: string): Generator<Uint8Array> {
  yield* archiveHeader([[versionKey, version], ...(shell === undefined ? [] : [[shellKey, shell] as const])])
  for (const root of volumesOf(fs)) yield* volumeParts(root)
  yield archiveEnd()
}

/** The pieces of {@link snapshotParts} together. */
export const snapshot = (fs: VirtualFileSystem, shell?: string): Uint8Array =>
  concatBytes(Array.from(snapshotParts(fs, shell)))
