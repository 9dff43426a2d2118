/**
 * Implements the WASI functions that read and write open files. Programs call them a million times a second: small writes are
 * joined, and calls that transfer nothing yield.
 */
import { Errno } from "../Errno.ts"
import type { OpenFile } from "../OpenFile.ts"
import type { Later } from "../System.ts"
import { maxOffset, readAtRights, type WasiInstance, writeAtRights } from "./WasiInstance.ts"
import { Right } from "./Rights.ts"
import type { TransferFunctions } from "./WasiFunctions.ts"

/** Maximum bytes of several vectors that are written as one piece: PIPE_BUF of Linux. */
const atomicBytes = 4096

export const transferFunctions = (host: WasiInstance): TransferFunctions => {
  const { heap, process } = host
  let scratch: Uint8Array | undefined

  /** Finishes a transfer after its first vector, with the others as far as they need no waiting. */
  const finish = (
    file: OpenFile,
    first: number,
    vectors: number,
    index: number,
    count: number,
    out: number,
    writes: boolean,
  ): number => {
    if (first < 0) return -first
    // The memory may have grown meanwhile, but not shrunk.
    if (!heap.fits(out, 4)) return Errno.EFAULT
    let total = first
    if (index < count && first === heap.vector(vectors, index).length) {
      for (let next = heap.skipEmpty(vectors, index + 1, count); next < count;) {
        const range = heap.vector(vectors, next)
        if (!(writes ? file.writable() : file.readable())) break
        const moved = writes ? file.write(range) : file.read(range)
        if (moved <= 0) break
        total += moved
        if (moved < range.length) break
        next = heap.skipEmpty(vectors, next + 1, count)
      }
    }
    heap.setU32(out, total)
    return Errno.SUCCESS
  }

  /** Writes the result of a transfer of one range. The memory may have grown since it began. */
  const writeCount = (bytes: number, out: number): number => {
    if (bytes < 0) return -bytes
    if (!heap.fits(out, 4)) return Errno.EFAULT
    heap.setU32(out, bytes)
    return Errno.SUCCESS
  }

  /** Returns an errno without a file operation, and yields: a program that repeats such calls must let others run. */
  const yieldWith = (errno: number): Later<number> => {
    const turn = process.yield()
    return turn instanceof Promise ? turn.then(() => errno) : errno
  }

  /** Joins small vectors, so that they reach a pipe without bytes of others between them. */
  const joinVectors = (vectors: number, count: number): Uint8Array | undefined => {
    let total = 0
    for (let index = 0; index < count; index++) total += heap.u32(vectors + index * 8 + 4)
    if (total > atomicBytes) return undefined
    scratch ??= new Uint8Array(atomicBytes)
    let at = 0
    for (let index = 0; index < count; index++) {
      const range = heap.vector(vectors, index)
      scratch.set(range, at)
      at += range.length
    }
    return scratch.subarray(0, total)
  }

  const transferAt = (
    fd: number,
    rights: number,
    vectors: number,
    count: number,
    offset: bigint,
    out: number,
    writes: boolean,
  ): number => {
    const file = host.file(fd, rights)
    if (typeof file === "number") return -file
    const used = heap.vectors(vectors, count)
    if (used < 0) return -used
    if (!heap.fits(out, 4)) return Errno.EFAULT
    if (offset < 0n) return Errno.EINVAL
    let total = 0
    // No file is that long, so reads return 0 and writes fail.
    if (offset > maxOffset) {
      if (writes) return Errno.EFBIG
    } else {
      const start = Number(offset)
      for (let next = heap.skipEmpty(vectors, 0, used); next < used; next = heap.skipEmpty(vectors, next + 1, used)) {
        const range = heap.vector(vectors, next)
        const moved = writes ? file.writeAt(start + total, range) : file.readAt(start + total, range)
        if (moved < 0 && total === 0) return -moved
        if (moved <= 0) break
        total += moved
        if (moved < range.length) break
      }
    }
    heap.setU32(out, total)
    return Errno.SUCCESS
  }

  const transfer = (
    fd: number,
    right: number,
    vectors: number,
    count: number,
    out: number,
    writes: boolean,
  ): Later<number> => {
    const file = host.file(fd, right)
    if (typeof file === "number") return yieldWith(-file)
    // All pointers are checked first: bytes that were read from a pipe cannot be put back.
    const only = count === 1 && heap.fits(out, 4) ? heap.singleVector(vectors) : undefined
    if (only !== undefined) {
      if (only.length === 0) return yieldWith(writeCount(0, out))
      const bytes = writes ? process.write(fd, only) : process.read(fd, only)
      return typeof bytes === "number" ? writeCount(bytes, out) : bytes.then((later) => writeCount(later, out))
    }
    const used = heap.vectors(vectors, count)
    if (used < 0 || !heap.fits(out, 4)) return yieldWith(used < 0 ? -used : Errno.EFAULT)
    const index = heap.skipEmpty(vectors, 0, used)
    if (index === used) return yieldWith(writeCount(0, out))
    const joins = writes && heap.skipEmpty(vectors, index + 1, used) < used
    const range = (joins ? joinVectors(vectors, used) : undefined) ?? heap.vector(vectors, index)
    const first = writes ? process.write(fd, range) : process.read(fd, range)
    return typeof first === "number"
      ? finish(file, first, vectors, index, used, out, writes)
      : first.then((bytes) => finish(file, bytes, vectors, index, used, out, writes))
  }

  return {
    fd_read: (fd, vectors, count, out) => transfer(fd, Right.fd_read, vectors, count, out, false),
    fd_write: (fd, vectors, count, out) => transfer(fd, Right.fd_write, vectors, count, out, true),
    fd_pread: (fd, vectors, count, offset, out) => transferAt(fd, readAtRights, vectors, count, offset, out, false),
    fd_pwrite: (fd, vectors, count, offset, out) => transferAt(fd, writeAtRights, vectors, count, offset, out, true),
  }
}
