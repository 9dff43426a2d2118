/** Implements `fd_readdir`, over a listing that stays the same while files are removed. */
import { encodeUtf8 } from "../../base/bytes.ts"
import { Errno } from "../Errno.ts"
import type { Directory, OpenFile } from "../OpenFile.ts"
import { type DirectoryEntry, FileType, type Stat } from "../Stat.ts"
import type { WasiInstance } from "./WasiInstance.ts"
import { Right } from "./Rights.ts"
import type { WasiFunctions } from "./WasiFunctions.ts"

/** Size of a `dirent` without the name that follows it. */
const entrySize = 24

export const directoryFunctions = (host: WasiInstance): Pick<WasiFunctions, "fd_readdir"> => {
  const { heap, process: { files } } = host
  /** The entries of a folder when its listing began. A cookie is an index into them: removing files meanwhile skips none. */
  const listings = new WeakMap<OpenFile, ReadonlyArray<DirectoryEntry>>()

  const dots = (folder: Directory): ReadonlyArray<DirectoryEntry> =>
    [".", ".."].map((name) => {
      const stat: Stat | number = files.stat(folder, name)
      return { name, inode: typeof stat === "number" ? 0 : stat.inode, type: FileType.directory }
    })

  const listing = (file: OpenFile, folder: Directory, restart: boolean): ReadonlyArray<DirectoryEntry> | number => {
    const known = restart ? undefined : listings.get(file)
    if (known !== undefined) return known
    const entries = files.list(folder)
    if (typeof entries === "number") return entries
    const all = [...dots(folder), ...entries]
    listings.set(file, all)
    return all
  }

  return {
    fd_readdir: (fd, buffer, size, cookie, out) => {
      const row = host.row(fd, 0)
      if (typeof row === "number") return -row
      const folder = host.folder(fd, Right.fd_readdir)
      if (typeof folder === "number") return -folder
      if (!heap.fits(buffer, size) || !heap.fits(out, 4)) return Errno.EFAULT
      const entries = listing(row.file, folder, cookie === 0n)
      if (typeof entries === "number") return -entries
      const room = size >>> 0
      let used = 0
      // A truncated last entry and a full buffer make the program call again from there.
      for (let index = Number(BigInt.asUintN(64, cookie)); index < entries.length && used < room; index++) {
        const entry = entries[index]
        if (entry === undefined) break
        const name = encodeUtf8(entry.name)
        const bytes = new Uint8Array(entrySize + name.length)
        const view = new DataView(bytes.buffer)
        view.setBigUint64(0, BigInt(index + 1), true)
        view.setBigUint64(8, BigInt(entry.inode), true)
        view.setUint32(16, name.length, true)
        view.setUint8(20, entry.type)
        bytes.set(name, entrySize)
        const part = bytes.subarray(0, room - used)
        heap.range(buffer + used, part.length).set(part)
        used += part.length
      }
      heap.setU32(out, used)
      return Errno.SUCCESS
    },
  }
}
