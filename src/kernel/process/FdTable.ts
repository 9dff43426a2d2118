/**
 * The descriptors of one process.
 *
 * Source: open(2), dup(2).
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import type { OpenFile } from "../OpenFile.ts"
import { Descriptor } from "../wasi/WasiProcess.ts"

/** Numbers, each with an open file. New ones are the lowest that are free. */
export class FdTable {
  readonly #rows: Array<Descriptor | undefined> = []
  readonly #limit: number

  /** How many descriptors there may be: numbers from 0 to one less. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** The row of a number. */
  row(fd: number): Descriptor | undefined {
    return this.#rows[fd]
  }

  /** The open file of a number. */
  file(fd: number): OpenFile | undefined {
    return this.#rows[fd]?.file
  }

  /** Puts a row at the lowest free number that is not below `from`. `-EMFILE`, `-EINVAL`: the reference stays yours. */
  add(row: Descriptor, from: number = 0): number {
    if (!(from >= 0 && from < this.#limit)) return -Errno.EINVAL
    let fd = from
    while (this.#rows[fd] !== undefined) fd++
    return this.#put(fd, row)
  }

  /** The same for a file, with every right. */
  addFile(file: OpenFile, from: number = 0): number {
    return this.add(new Descriptor(file), from)
  }

  /** Puts a row at a number; what was there is released. `-EBADF` beyond the limit: the reference stays yours. */
  set(fd: number, row: Descriptor): number {
    if (!(Number.isInteger(fd) && fd >= 0 && fd < this.#limit)) return -Errno.EBADF
    const old = this.#rows[fd]
    this.#put(fd, row)
    old?.file.release()
    return fd
  }

  close(fd: number): number {
    const row = this.#rows[fd]
    if (row === undefined) return -Errno.EBADF
    this.#rows[fd] = undefined
    row.file.release()
    return 0
  }

  dup(fd: number, from: number = 0): number {
    const row = this.#rows[fd]
    return row === undefined ? -Errno.EBADF : this.#shared(row, (copy) => this.add(copy, from))
  }

  dup2(fd: number, to: number): number {
    const row = this.#rows[fd]
    if (row === undefined) return -Errno.EBADF
    return fd === to ? fd : this.#shared(row, (copy) => this.set(to, copy))
  }

  /** Moves a row to a number that is open. `-EBADF` when either is not. */
  renumber(from: number, to: number): number {
    const row = this.#rows[from]
    const old = this.#rows[to]
    if (row === undefined || old === undefined) return -Errno.EBADF
    if (from === to) return 0
    this.#rows[to] = row
    this.#rows[from] = undefined
    old.file.release()
    return 0
  }

  /** Which numbers are open, in order. */
  numbers(): ReadonlyArray<number> {
    return this.#rows.flatMap((row, fd) => row === undefined ? [] : [fd])
  }

  closeAll(): void {
    const rows = this.#rows.splice(0)
    for (const row of rows) row?.file.release()
  }

  #put(fd: number, row: Descriptor): number {
    if (fd >= this.#limit) return -Errno.EMFILE
    // Without holes: an array of holes is a slow one.
    while (this.#rows.length < fd) this.#rows.push(undefined)
    this.#rows[fd] = row
    return fd
  }

  #shared(row: Descriptor, put: (copy: Descriptor) => number): number {
    const fd = put(new Descriptor(row.file.retain(), row.rights, row.inheriting, undefined, undefined, row.linkRoot))
    if (fd < 0) row.file.release()
    return fd
  }
}
