/** Looks up descriptors by their rights, and paths, for the WASI functions of one process. */
import { Errno } from "../Errno.ts"
import type { FileSystem, Resolution } from "../FileSystem.ts"
import type { Directory, OpenFile } from "../OpenFile.ts"
import { FileType } from "../Stat.ts"
import { GuestMemory, type Memory } from "./GuestMemory.ts"
import { byteRights, Right } from "./Rights.ts"
import type { Descriptor, WasiProcess } from "./WasiProcess.ts"

export interface FolderPath {
  readonly folder: Directory
  readonly path: string
  /** Folder at which absolute links on the way start. */
  readonly linkRoot: Directory | undefined
}

const symlinkFollow = 1

/** Converts a result of the kernel into an errno of WASI: counts and 0 are success. */
export const toErrno = (result: number): number => result < 0 ? -result : Errno.SUCCESS

/** Maximum offset, the largest that a number holds exactly. Larger sizes and offsets are refused. */
export const maxOffset: bigint = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * Chooses between the working directory and the root for a path of a program. Its libc has no working directory and
 * drops the leading slash, so `/a` and `a` look alike: the existing one is meant, the one in the working directory
 * first. For a new name its parent folder decides; a program that makes `tmp` does not mean the existing `/tmp`.
 */
const chooseRootPath = (files: FileSystem, root: Directory, from: string, path: string, makes: boolean): string => {
  const nearby = `${from}/${path}`
  const typeAt = (name: string) => {
    const stat = files.stat(root, name, { follow: false, beneath: true, linkRoot: root })
    return typeof stat === "number" ? undefined : stat.type
  }
  if (typeAt(nearby) !== undefined) return nearby
  const type = typeAt(path)
  if (type !== undefined && !(makes && type === FileType.directory)) return path
  const parent = path.replace(/[^/]*\/*$/, "")
  return parent === "" || typeAt(`${from}/${parent}`) !== undefined ? nearby : path
}

export class WasiInstance {
  readonly process: WasiProcess
  readonly heap: GuestMemory

  constructor(process: WasiProcess, memory: () => Memory) {
    this.process = process
    this.heap = new GuestMemory(memory)
  }

  /** Returns the row of a descriptor that has all of these rights, or a negative errno. */
  row(fd: number, rights: number): Descriptor | number {
    const row = this.process.descriptor(fd)
    if (row === undefined) return -Errno.EBADF
    const lacking = rights & ~row.rights
    if (lacking === 0) return row
    if (row.file.type === FileType.directory && (rights & byteRights) !== 0) return -Errno.EISDIR
    // The errno with which read(2) and write(2) fail for a file that is not open for them: programs check it, and
    // wasmtime returns the same.
    return (lacking & (Right.fd_read | Right.fd_write)) !== 0 ? -Errno.EBADF : -Errno.ENOTCAPABLE
  }

  /** Returns the open file of a descriptor that has all of these rights, or a negative errno. */
  file(fd: number, rights: number): OpenFile | number {
    const row = this.row(fd, rights)
    return typeof row === "number" ? row : row.file
  }

  /** Returns the folder of a descriptor that has all of these rights, or a negative errno. */
  folder(fd: number, rights: number): Directory | number {
    const row = this.process.descriptor(fd)
    if (row === undefined) return -Errno.EBADF
    const folder = row.file.directory
    if (folder === undefined) return -Errno.ENOTDIR
    return (row.rights & rights) === rights ? folder : -Errno.ENOTCAPABLE
  }

  /** Reads a path that starts at the folder of a descriptor, or returns a negative errno. `makes`: the call creates a name. */
  place(fd: number, rights: number, pointer: number, length: number, makes = false): FolderPath | number {
    const path = this.heap.path(pointer, length)
    if (typeof path === "number") return path
    const folder = this.folder(fd, rights)
    if (typeof folder === "number") return folder
    const { linkRoot, workingDirectory: from } = this.process.descriptor(fd) ?? {}
    return {
      folder,
      linkRoot,
      path: from === undefined || path.startsWith("/")
        ? path
        : chooseRootPath(this.process.files, folder, from, path, makes),
    }
  }
}

/** Whether a link in the last component is followed; `undefined` for unknown flags. */
export const parseLookupFlags = (flags: number): boolean | undefined =>
  (flags & ~symlinkFollow) === 0 ? flags === symlinkFollow : undefined

/** Returns how WASI resolves a path: confined to its folder, following a link in the last component only with `follow`. */
export const resolutionOf = ({ linkRoot }: FolderPath, follow = false): Resolution => ({
  follow,
  beneath: true,
  linkRoot,
})

/** The two times that `fstflags` select; `undefined` keeps a time. `-EINVAL` for contradicting flags. */
export const parseTimes = (
  now: () => bigint,
  accessed: bigint,
  modified: bigint,
  which: number,
): readonly [accessed: bigint | undefined, modified: bigint | undefined] | number => {
  if ((which & ~15) !== 0 || (which & 3) === 3 || (which & 12) === 12) return -Errno.EINVAL
  const time = (bits: number, given: bigint) => bits === 0 ? undefined : bits === 1 ? BigInt.asUintN(64, given) : now()
  return [time(which & 3, accessed), time(which >> 2, modified)]
}

export const readAtRights: number = Right.fd_read | Right.fd_seek
export const writeAtRights: number = Right.fd_write | Right.fd_seek
