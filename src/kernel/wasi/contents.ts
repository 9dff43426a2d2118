/** Implements the WASI functions on the size, times and position of open files. */
import { Errno } from "../Errno.ts"
import { Whence } from "../OpenFile.ts"
import type { Stat } from "../Stat.ts"
import type { GuestMemory } from "./GuestMemory.ts"
import { maxOffset, parseTimes, toErrno, type WasiInstance } from "./WasiInstance.ts"
import { Right } from "./Rights.ts"
import type { ContentFunctions } from "./WasiFunctions.ts"

const lastAdvice = 5

/** Writes a `filestat` to 64 bytes that were checked to fit. */
export const writeStat = (heap: GuestMemory, out: number, stat: Stat): void => {
  heap.setU64(out, stat.device)
  heap.setU64(out + 8, stat.inode)
  heap.setU64(out + 16, stat.type)
  heap.setU64(out + 24, stat.links)
  heap.setU64(out + 32, stat.size)
  heap.setU64(out + 40, stat.accessed)
  heap.setU64(out + 48, stat.modified)
  heap.setU64(out + 56, stat.changed)
}

export const contentFunctions = (host: WasiInstance): ContentFunctions => {
  const { heap, process } = host

  const sync = (fd: number, right: number): number => {
    const file = host.file(fd, right)
    return typeof file === "number" ? -file : toErrno(file.sync())
  }

  const seek = (fd: number, offset: bigint, whence: number, out: number): number => {
    const row = host.row(fd, 0)
    if (typeof row === "number") return -row
    // Reading the position needs only the right to tell.
    const tells = offset === 0n && whence === Whence.current && (row.rights & Right.fd_seek) === 0
    const file = host.file(fd, tells ? Right.fd_tell : Right.fd_seek)
    if (typeof file === "number") return -file
    if (whence < Whence.set || whence > Whence.end) return Errno.EINVAL
    if (offset > maxOffset) return Errno.EOVERFLOW
    if (offset < -maxOffset) return Errno.EINVAL
    if (!heap.fits(out, 8)) return Errno.EFAULT
    const position = file.seek(Number(offset), whence)
    if (position < 0) return -position
    heap.setU64(out, position)
    return Errno.SUCCESS
  }

  return {
    fd_advise: (fd, offset, length, advice) => {
      const file = host.file(fd, Right.fd_advise)
      if (typeof file === "number") return -file
      if (advice < 0 || advice > lastAdvice || offset < 0n || length < 0n) return Errno.EINVAL
      // Advice has no effect; but a file that cannot seek has no ranges.
      return toErrno(Math.min(file.seek(0, Whence.current), 0))
    },
    fd_allocate: (fd, offset, length) => {
      const file = host.file(fd, Right.fd_allocate)
      if (typeof file === "number") return -file
      if (offset < 0n || length <= 0n) return Errno.EINVAL
      if (offset + length > maxOffset) return Errno.EFBIG
      return toErrno(file.allocate(Number(offset), Number(length)))
    },
    fd_datasync: (fd) => sync(fd, Right.fd_datasync),
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
      return size > maxOffset ? Errno.EFBIG : toErrno(file.truncate(Number(size)))
    },
    fd_filestat_set_times: (fd, accessed, modified, which) => {
      const file = host.file(fd, Right.fd_filestat_set_times)
      if (typeof file === "number") return -file
      const times = parseTimes(() => process.now(), accessed, modified, which)
      return typeof times === "number" ? -times : toErrno(file.setTimes(...times))
    },
    fd_seek: seek,
    fd_sync: (fd) => sync(fd, Right.fd_sync),
    fd_tell: (fd, out) => seek(fd, 0n, Whence.current, out),
  }
}
