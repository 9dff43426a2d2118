/**
 * Looks up descriptors, rights and paths for the WASI functions of one process, and parses their flags.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import type { FileSystem, Resolution } from "../FileSystem.ts"
import type { Directory, OpenFile } from "../OpenFile.ts"
import { FileType } from "../Stat.ts"
import { GuestMemory, type Memory } from "./GuestMemory.ts"
import { byteRights, Right } from "./Rights.ts"
import type { Descriptor, WasiProcess } from "./WasiProcess.ts"

/** A folder, and a path that starts there. */
export interface FolderPath {
  readonly folder: Directory
  readonly path: string
  /** Where absolute links on the way start. */
  readonly linkRoot: Directory | undefined
}

/** What `lookupflags` may say. */
const symlinkFollow = 1

/** What an errno is to a WASI program: a count or a 0 went well. */
export const toErrno = (result: number): number => result < 0 ? -result : Errno.SUCCESS

/** The highest offset that a number holds exactly. Sizes and offsets beyond it are refused. */
export const maxOffset: bigint = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * Which path from the root a program means that was started in a working directory. Its libc knows none and drops the
 * slash, so that `/a` and `a` look alike: what is there decides, from the working directory first; for what is to be
 * made, the folder that it would be in. Who makes `tmp` wants no folder that is at the root already.
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

/** One WASI program: its process and its memory. */
export class WasiInstance {
  readonly process: WasiProcess
  readonly heap: GuestMemory

  constructor(process: WasiProcess, memory: () => Memory) {
    this.process = process
    this.heap = new GuestMemory(memory)
  }

  /** The row of a descriptor that has all of these rights, or a negative errno. */
  row(fd: number, rights: number): Descriptor | number {
    const row = this.process.descriptor(fd)
    if (row === undefined) return -Errno.EBADF
    const lacking = rights & ~row.rights
    if (lacking === 0) return row
    if (row.file.type === FileType.directory && (rights & byteRights) !== 0) return -Errno.EISDIR
    // As read(2) and write(2) say of what is not open for that: programs look for it, and wasmtime answers so.
    return (lacking & (Right.fd_read | Right.fd_write)) !== 0 ? -Errno.EBADF : -Errno.ENOTCAPABLE
  }

  /** The open file of a descriptor that has all of these rights, or a negative errno. */
  file(fd: number, rights: number): OpenFile | number {
    const row = this.row(fd, rights)
    return typeof row === "number" ? row : row.file
  }

  /** The folder of a descriptor that has all of these rights, or a negative errno. */
  folder(fd: number, rights: number): Directory | number {
    const row = this.process.descriptor(fd)
    if (row === undefined) return -Errno.EBADF
    const folder = row.file.directory
    if (folder === undefined) return -Errno.ENOTDIR
    return (row.rights & rights) === rights ? folder : -Errno.ENOTCAPABLE
  }

  /** A path that starts at the folder of a descriptor, or a negative errno. `makes`: something is to be made there. */
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

/** Whether a link in the last place is followed; `undefined` for flags that mean nothing. */
export const parseLookupFlags = (flags: number): boolean | undefined =>
  (flags & ~symlinkFollow) === 0 ? flags === symlinkFollow : undefined

/** How WASI follows paths: never out of the folder, and through a link in the last place only when asked to. */
export const resolutionOf = ({ linkRoot }: FolderPath, follow = false): Resolution => ({
  follow,
  beneath: true,
  linkRoot,
})

/**
 * The two times that `fstflags` ask for, in nanoseconds; `undefined` leaves one as it is. `-EINVAL` when a time is
 * asked to be two things at once.
 */
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

/** The right to seek and read, which reading at an offset takes. */
export const readAtRights: number = Right.fd_read | Right.fd_seek
/** The right to seek and write, which writing at an offset takes. */
export const writeAtRights: number = Right.fd_write | Right.fd_seek
