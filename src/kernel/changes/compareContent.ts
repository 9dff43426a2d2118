/**
 * Compares and reads the content of two files; blocks that both share in memory, and the same file of the host, are not
 * read.
 */
import { isSameBytes } from "../../base/bytes.ts"
import { Errno } from "../Errno.ts"
import { LayeredFile } from "../fs/LayeredFile.ts"
import { MemoryFile } from "../fs/MemoryFile.ts"
import type { FileNode } from "../fs/Node.ts"
import { trustedOpen } from "../fs/snapshotFormat.ts"
import type { OpenFile } from "../OpenFile.ts"
import type { SparseBytes } from "../fs/SparseBytes.ts"
import { isSamePlace } from "./isSamePlace.ts"
import { needed, TreeError } from "./TreeView.ts"
import type { Turns } from "./Turns.ts"

const pieceBytes = 65_536

/** The file whose bytes are read: until the first change, the file below the overlay. */
const sourceOf = (file: FileNode): FileNode => {
  let source = file
  while (source instanceof LayeredFile && source.lower !== undefined) source = source.lower
  return source
}

const inMemory = (file: FileNode): SparseBytes | undefined =>
  file instanceof MemoryFile && !(file instanceof LayeredFile && file.lower !== undefined) ? file.content : undefined

/** Whether two files have the same bytes. */
export const hasSameContent = async (path: string, a: FileNode, b: FileNode, turns: Turns): Promise<boolean> => {
  const [one, two] = [sourceOf(a), sourceOf(b)]
  if (isSamePlace(one, two)) return true
  const [own, its] = [inMemory(one), inMemory(two)]
  if (own !== undefined && its !== undefined) return await turns.run(own.isSameAs(its))
  if (needed("look at", path, one.stat()).size !== needed("look at", path, two.stat()).size) return false
  return await withReader(
    path,
    one,
    (first) => withReader(path, two, (second) => isSameStream(path, first, second, turns)),
  )
}

const isSameStream = async (path: string, one: OpenFile, two: OpenFile, turns: Turns): Promise<boolean> => {
  const [a, b] = [new Uint8Array(pieceBytes), new Uint8Array(pieceBytes)]
  for (let at = 0;;) {
    const counts = [await readAt(path, one, at, a, turns), await readAt(path, two, at, b, turns)] as const
    if (counts[0] !== counts[1]) return false
    if (counts[0] === 0) return true
    if (!isSameBytes(a.subarray(0, counts[0]), b.subarray(0, counts[0]))) return false
    at += counts[0]
    await turns.pause()
  }
}

/** Opens a file for reading, whatever its mode, while `use` runs. */
export const withReader = async <A>(
  path: string,
  file: FileNode,
  use: (reader: OpenFile) => Promise<A>,
): Promise<A> => {
  const reader = needed("read", path, file.open({ ...trustedOpen, read: true }))
  try {
    return await use(reader)
  } finally {
    reader.release()
  }
}

/** Fills an array from an offset on as far as the file has bytes. Returns their number. */
export const readAt = async (
  path: string,
  reader: OpenFile,
  offset: number,
  into: Uint8Array,
  turns: Turns,
): Promise<number> => {
  for (let done = 0;;) {
    turns.check()
    const count = reader.readAt(offset + done, into.subarray(done))
    if (count === -Errno.EAGAIN) await turns.wait((wake) => reader.whenReadable(wake))
    else if (count < 0) throw new TreeError("read", path, count)
    else done += count
    if (count === 0 || done === into.length) return done
  }
}

/** The first bytes of a file, at most `maxBytes`. */
export const readStart = (path: string, file: FileNode, maxBytes: number, turns: Turns): Promise<Uint8Array> =>
  withReader(path, file, async (reader) => {
    const stat = needed("look at", path, reader.stat())
    const bytes = new Uint8Array(Math.min(stat.size, maxBytes))
    for (let at = 0; at < bytes.length;) {
      const piece = bytes.subarray(at, at + pieceBytes)
      const count = await readAt(path, reader, at, piece, turns)
      at += count
      if (count < piece.length) return bytes.subarray(0, at)
      await turns.pause()
    }
    return bytes
  })
