/** Reads and writes whole files of the kernel's file system by path, and makes folders. */
import { concatBytes, encodeUtf8 } from "../../base/bytes.ts"
import { Errno } from "../Errno.ts"
import type { VirtualFileSystem } from "./VirtualFileSystem.ts"

const pieceBytes = 65_536

/** Makes a folder and missing folders on the way; it may exist. Returns 0 or an errno. */
export const makeFolders = (fs: VirtualFileSystem, path: string): number => {
  const names = path.split("/").filter((name) => name !== "")
  for (let i = 1; i <= names.length; i++) {
    const made = fs.makeDirectory(fs.root, `/${names.slice(0, i).join("/")}`, 0o755)
    if (made < 0 && made !== -Errno.EEXIST) return made
  }
  const folder = fs.directory(fs.root, `/${names.join("/")}`)
  return typeof folder === "number" ? folder : 0
}

/** Writes a whole file by its path from `/`; missing folders on the way are made. Returns 0 or a negative errno. */
export const writeFile = (fs: VirtualFileSystem, path: string, content: Uint8Array | string, mode = 0o644): number => {
  const made = makeFolders(fs, path.slice(0, path.lastIndexOf("/") + 1))
  if (made < 0 || path.endsWith("/")) return made
  const absolute = path.startsWith("/") ? path : `/${path}`
  const file = fs.open(fs.root, absolute, { write: true, create: true, truncate: true, mode })
  if (typeof file === "number") return file
  try {
    const all = typeof content === "string" ? encodeUtf8(content) : content
    for (let at = 0; at < all.length;) {
      const count = file.write(all.subarray(at))
      if (count < 0) return count
      at += count
    }
    return 0
  } finally {
    file.release()
  }
}

/** Reads the bytes of a file, at most `maxBytes` of them: `-EFBIG` when there are more. Default: no limit. */
export const readFile = (fs: VirtualFileSystem, path: string, maxBytes: number = Infinity): Uint8Array | number => {
  const file = fs.open(fs.root, path, { read: true })
  if (typeof file === "number") return file
  try {
    const parts: Array<Uint8Array> = []
    let total = 0
    for (;;) {
      // A device never ends and tells nothing: pieces grow with what was read.
      const expected = Math.max(1, file.available(), total)
      const part = new Uint8Array(Math.min(pieceBytes, expected, maxBytes + 1 - total))
      const count = file.read(part)
      if (count < 0) return count
      if (count === 0) break
      total += count
      if (total > maxBytes) return -Errno.EFBIG
      parts.push(part.subarray(0, count))
    }
    return concatBytes(parts, total)
  } finally {
    file.release()
  }
}
