/** Implements the WASI functions on descriptors, their flags, rights and preopens. */
import { encodeUtf8 } from "../../base/bytes.ts"
import { Errno } from "../Errno.ts"
import { toErrno, type WasiInstance } from "./WasiInstance.ts"
import { Right, usableRights } from "./Rights.ts"
import type { DescriptorFunctions } from "./WasiFunctions.ts"

const allFlags = 31
/** A prestat type that WASI does not define, and that every libc skips. */
const unknownPrestat = 0xff

export const descriptorFunctions = (host: WasiInstance): DescriptorFunctions => {
  const { heap, process } = host

  const preopen = (fd: number): Uint8Array | number => {
    const name = process.descriptor(fd)?.preopen
    return name === undefined ? -Errno.EBADF : encodeUtf8(name)
  }

  /** Whether a descriptor lies below the preopens: programs search upwards until one is not open; a pipe must not end that. */
  const isBelowPreopen = (fd: number): boolean => {
    for (let next = fd; process.descriptor(next) !== undefined; next++) {
      if (process.descriptor(next)?.preopen !== undefined) return true
    }
    return false
  }

  return {
    fd_close: (fd) => toErrno(process.close(fd)),
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
      // Rights can only be dropped.
      if ((base & ~BigInt(row.rights)) !== 0n || (inheriting & ~BigInt(row.inheriting)) !== 0n) return Errno.ENOTCAPABLE
      row.rights = Number(base)
      row.inheriting = Number(inheriting)
      return Errno.SUCCESS
    },
    fd_prestat_get: (fd, out) => {
      const name = preopen(fd)
      if (typeof name === "number" && !isBelowPreopen(fd)) return -name
      if (!heap.fits(out, 8)) return Errno.EFAULT
      heap.setU32(out, typeof name === "number" ? unknownPrestat : 0)
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
  }
}
