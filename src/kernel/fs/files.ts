/**
 * Files in and out by whole content, for who sets a file system up and looks at what came of it.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import { concat } from "./concat.ts"
import { Folder } from "./Node.ts"
import type { VirtualFileSystem } from "./VirtualFileSystem.ts"

/** Files by their paths: bytes, or text that is stored as UTF-8. A path that ends with a slash is an empty folder. */
export type Files = Readonly<Record<string, Uint8Array | string>>

const pieceBytes = 65_536
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Makes a folder and those on the way to it; one that is there is fine. */
export const makeFolders = (fs: VirtualFileSystem, path: string): number => {
  const names = path.split("/").filter((name) => name !== "")
  for (let i = 1; i <= names.length; i++) {
    const made = fs.makeDirectory(fs.root, `/${names.slice(0, i).join("/")}`, 0o755)
    if (made < 0 && made !== -Errno.EEXIST) return made
  }
  const folder = fs.directory(fs.root, `/${names.join("/")}`)
  return typeof folder === "number" ? folder : 0
}

/** Writes a whole file, from `/`; folders on the way are made. 0, or a negative errno. */
export const writeFile = (fs: VirtualFileSystem, path: string, content: Uint8Array | string, mode = 0o644): number => {
  const made = makeFolders(fs, path.slice(0, path.lastIndexOf("/") + 1))
  if (made < 0 || path.endsWith("/")) return made
  const absolute = path.startsWith("/") ? path : `/${path}`
  const file = fs.open(fs.root, absolute, { write: true, create: true, truncate: true, mode })
  if (typeof file === "number") return file
  try {
    const all = typeof content === "string" ? encoder.encode(content) : content
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

/** Writes files. 0, or the errno of the first that failed: the others are not written. */
export const filesIn = (fs: VirtualFileSystem, files: Files): number => {
  for (const [path, content] of Object.entries(files)) {
    const written = writeFile(fs, path, content)
    if (written < 0) return written
  }
  return 0
}

/** The bytes of a file, `most` of them at most (`-EFBIG` when there are more). Default: all. */
export const readFile = (fs: VirtualFileSystem, path: string, most: number = Infinity): Uint8Array | number => {
  const file = fs.open(fs.root, path, { read: true })
  if (typeof file === "number") return file
  try {
    const parts: Array<Uint8Array> = []
    let total = 0
    for (;;) {
      const part = new Uint8Array(Math.max(1, Math.min(pieceBytes, file.available(), most + 1 - total)))
      const count = file.read(part)
      if (count < 0) return count
      if (count === 0) break
      total += count
      if (total > most) return -Errno.EFBIG
      parts.push(part.subarray(0, count))
    }
    return concat(parts)
  } finally {
    file.release()
  }
}

/** The text of a file. */
export const readText = (fs: VirtualFileSystem, path: string, most: number = Infinity): string | number => {
  const bytes = readFile(fs, path, most)
  return typeof bytes === "number" ? bytes : decoder.decode(bytes)
}

/** The paths of all files below a folder, in order; links are not followed. Folders end with a slash. */
export const pathsIn = (fs: VirtualFileSystem, path: string = "/"): ReadonlyArray<string> | number => {
  const start = fs.directory(fs.root, path)
  if (typeof start === "number") return start
  const found: Array<string> = []
  const folders = [start]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const listed = fs.list(folder)
    if (typeof listed === "number") return listed
    const under = folder.path === "/" ? "/" : `${folder.path}/`
    for (const { name } of listed) {
      const inner = fs.directory(folder, name, { follow: false })
      found.push(inner instanceof Folder ? `${under}${name}/` : `${under}${name}`)
      if (inner instanceof Folder) folders.push(inner)
    }
  }
  return found.sort()
}
