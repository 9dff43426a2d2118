/**
 * What may be asked of a descriptor, except moving bytes.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import { Whence } from "../OpenFile.ts"
import type { Stat } from "../Stat.ts"
import type { Heap } from "./Heap.ts"
import { type Host, maximumOffset, timesOf, toErrno } from "./Host.ts"
import { Right, usableRights } from "./Rights.ts"
import type { WasiFunctions } from "./WasiFunctions.ts"

const encoder = new TextEncoder()

const lastAdvice = 5
/** A kind of prestat that WASI does not name, and that every libc passes over. */
const noFolder = 0xff
const allFlags = 31

/** Writes a `filestat`, 64 bytes that fit. */
export const writeStat = (heap: Heap, out: number, stat: Stat): void => {
  heap.setU64(out, stat.device)
  heap.setU64(out + 8, stat.inode)
  heap.setU64(out + 16, stat.type)
  heap.setU64(out + 24, stat.links)
  heap.setU64(out + 32, stat.size)
  heap.setU64(out + 40, stat.accessed)
  heap.setU64(out + 48, stat.modified)
  heap.setU64(out + 56, stat.changed)
}

/** A size or offset as a number; `undefined` beyond what a number holds exactly. */
const exact = (value: bigint): number | undefined => {
  const unsigned = BigInt.asUintN(64, value)
  return unsigned > maximumOffset ? undefined : Number(unsigned)
}

/** `fd_*`, except those that read, write or list. */
export const descriptorFunctions = (host: Host): Pick<
  WasiFunctions,
  | "fd_advise"
  | "fd_allocate"
  | "fd_close"
  | "fd_datasync"
  | "fd_fdstat_get"
  | "fd_fdstat_set_flags"
  | "fd_fdstat_set_rights"
  | "fd_filestat_get"
  | "fd_filestat_set_size"
  | "fd_filestat_set_times"
  | "fd_prestat_get"
  | "fd_prestat_dir_name"
  | "fd_renumber"
  | "fd_seek"
  | "fd_sync"
  | "fd_tell"
> => {
  const { heap, process } = host

  const sync = (fd: number, right: number): number => {
    const file = host.file(fd, right)
    return typeof file === "number" ? -file : toErrno(file.sync())
  }

  const seek = (fd: number, offset: bigint, whence: number, out: number): number => {
    const row = host.row(fd, 0)
    if (typeof row === "number") return -row
    // Asking where one is takes less than going somewhere.
    const tells = offset === 0n && whence === Whence.current && (row.rights & Right.fd_seek) === 0
    const file = host.file(fd, tells ? Right.fd_tell : Right.fd_seek)
    if (typeof file === "number") return -file
    if (whence < Whence.set || whence > Whence.end) return Errno.EINVAL
    if (offset > maximumOffset) return Errno.EOVERFLOW
    if (offset < -maximumOffset) return Errno.EINVAL
    if (!heap.fits(out, 8)) return Errno.EFAULT
    const position = file.seek(Number(offset), whence)
    if (position < 0) return -position
    heap.setU64(out, position)
    return Errno.SUCCESS
  }

  /** The name of a folder that the program was given at its start, or a negative errno. */
  const preopen = (fd: number): Uint8Array | number => {
    const name = process.descriptor(fd)?.preopen
    return name === undefined ? -Errno.EBADF : encoder.encode(name)
  }

  /**
   * Whether a number was inherited that lies before the folders. Programs look for folders upwards until one is not
   * open: what is open but no folder must not end their search.
   */
  const isBelowPreopen = (fd: number): boolean => {
    for (let next = fd; process.descriptor(next) !== undefined; next++) {
      if (process.descriptor(next)?.preopen !== undefined) return true
    }
    return false
  }

  return {
    fd_advise: (fd, offset, length, advice) => {
      const file = host.file(fd, Right.fd_advise)
      if (typeof file === "number") return -file
      if (advice < 0 || advice > lastAdvice || offset < 0n || length < 0n) return Errno.EINVAL
      // Advice is only advice; but what cannot seek has no ranges.
      return toErrno(Math.min(file.seek(0, Whence.current), 0))
    },
    fd_allocate: (fd, offset, length) => {
      const file = host.file(fd, Right.fd_allocate)
      if (typeof file === "number") return -file
      if (offset < 0n || length <= 0n) return Errno.EINVAL
      if (offset + length > maximumOffset) return Errno.EFBIG
      return toErrno(file.allocate(Number(offset), Number(length)))
    },
    fd_close: (fd) => toErrno(process.close(fd)),
    fd_datasync: (fd) => sync(fd, Right.fd_datasync),
    fd_fdstat_get: (fd, out) => {
      const row = host.row(fd, 0)
      if (typeof row === "number") return -row
      if (!heap.fits(out, 24)) return Errno.EFAULT
      heap.setU16(out, row.file.type)
      heap.setU16(out + 2, row.file.flags)
      heap.setU32(out + 4, 0)
      heap.setU64(out + 8, usableRights(row.file, row.rights))
      heap.setU64(out + 16, row.inheriting)
      return Errno.SUCCESS
    },
    fd_fdstat_set_flags: (fd, flags) => {
      const file = host.file(fd, Right.fd_fdstat_set_flags)
      if (typeof file === "number") return -file
      if ((flags & ~allFlags) !== 0) return Errno.EINVAL
      file.flags = flags
      return Errno.SUCCESS
    },
    fd_fdstat_set_rights: (fd, base, inheriting) => {
      const row = host.row(fd, 0)
      if (typeof row === "number") return -row
      // Rights can only be given up.
      if ((base & ~BigInt(row.rights)) !== 0n || (inheriting & ~BigInt(row.inheriting)) !== 0n) return Errno.ENOTCAPABLE
      row.rights = Number(base)
      row.inheriting = Number(inheriting)
      return Errno.SUCCESS
    },
    fd_filestat_get: (fd, out) => {
      const file = host.file(fd, Right.fd_filestat_get)
      if (typeof file === "number") return -file
      if (!heap.fits(out, 64)) return Errno.EFAULT
      const stat = file.stat()
      if (typeof stat === "number") return -stat
      writeStat(heap, out, stat)
      return Errno.SUCCESS
    },
    fd_filestat_set_size: (fd, size) => {
      const file = host.file(fd, Right.fd_filestat_set_size)
      if (typeof file === "number") return -file
      if (size < 0n) return Errno.EINVAL
      const length = exact(size)
      return length === undefined ? Errno.EFBIG : toErrno(file.truncate(length))
    },
    fd_filestat_set_times: (fd, accessed, modified, which) => {
      const file = host.file(fd, Right.fd_filestat_set_times)
      if (typeof file === "number") return -file
      const times = timesOf(() => process.now(), accessed, modified, which)
      return typeof times === "number" ? -times : toErrno(file.setTimes(...times))
    },
    fd_prestat_get: (fd, out) => {
      const name = preopen(fd)
      if (typeof name === "number" && !isBelowPreopen(fd)) return -name
      if (!heap.fits(out, 8)) return Errno.EFAULT
      heap.setU32(out, typeof name === "number" ? noFolder : 0)
      heap.setU32(out + 4, typeof name === "number" ? 0 : name.length)
      return Errno.SUCCESS
    },
    fd_prestat_dir_name: (fd, path, length) => {
      const name = preopen(fd)
      if (typeof name === "number") return -name
      if (length >>> 0 < name.length) return Errno.ENAMETOOLONG
      if (!heap.fits(path, name.length)) return Errno.EFAULT
      heap.range(path, name.length).set(name)
      return Errno.SUCCESS
    },
    fd_renumber: (from, to) => toErrno(process.renumber(from, to)),
    fd_seek: seek,
    fd_sync: (fd) => sync(fd, Right.fd_sync),
    fd_tell: (fd, out) => seek(fd, 0n, Whence.current, out),
  }
}
