/**
 * Digests of files of the host, to find a change that left size and times as they were: Deno has times of milliseconds, and
 * programs set times back. Not for content that was made to have the digest of other content.
 */
import type { OpenFile } from "../OpenFile.ts"
import { MemoryFile } from "./MemoryFile.ts"
import { FileNode, type Node } from "./Node.ts"

/** Longer files are compared by size and times alone: a digest is made in one step. */
const maxDigestBytes = 4_194_304
const pieceBytes = 65_536

/** The digest of an open file; `undefined` for a long one, and where it cannot be read at once. */
export const digestOfOpen = (file: OpenFile): string | undefined => {
  const stat = file.stat()
  if (typeof stat === "number" || stat.size > maxDigestBytes) return undefined
  const piece = new Uint8Array(pieceBytes)
  const words = new Uint32Array(piece.buffer)
  let [one, two] = [0x811c9dc5, 0x9e3779b9]
  for (let at = 0; at <= maxDigestBytes;) {
    let length = 0
    for (let count = 1; count > 0 && length < pieceBytes; length += count) {
      count = file.readAt(at + length, piece.subarray(length))
      if (count < 0) return undefined
    }
    piece.fill(0, length)
    for (let i = 0; i < length / 4; i++) {
      const word = words[i] ?? 0
      one = Math.imul(one ^ word, 0x01000193) ^ (one >>> 15)
      two = Math.imul(two + word, 0x85ebca6b) ^ (two >>> 13)
    }
    at += length
    if (length < pieceBytes) return `${one >>> 0} ${two >>> 0} ${at}`
  }
  return undefined
}

/** As {@link digestOfOpen}; `undefined` also for files in memory, whose changes are known. */
export const digestOf = (node: Node | undefined): string | undefined => {
  if (!(node instanceof FileNode) || node instanceof MemoryFile) return undefined
  const file = node.open({ read: true, write: false, truncate: false, flags: 0, trusted: true })
  if (typeof file === "number") return undefined
  try {
    return digestOfOpen(file)
  } finally {
    file.release()
  }
}
