/** Maps the descriptor numbers of one process to open files. Source: open(2), dup(2). */
import { Errno } from "../Errno.ts"
import type { OpenFile } from "../OpenFile.ts"
import { Descriptor } from "../wasi/WasiProcess.ts"

export class FdTable {
  readonly #rows: Array<Descriptor | undefined> = []
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  row(fd: number): Descriptor | undefined {
    return this.#rows[fd]
  }

  file(fd: number): OpenFile | undefined {
    return this.#rows[fd]?.file
  }

  /** Adds a row at the lowest free number from `from` on. On `-EMFILE` and `-EINVAL` the caller keeps the reference. */
  add(row: Descriptor, from: number = 0): number {
    if (!(from >= 0 && from < this.#limit)) return -Errno.EINVAL
    let fd = from
    while (this.#rows[fd] !== undefined) fd++
    return this.#put(fd, row)
  }

  addFile(file: OpenFile, from: number = 0): number {
    return this.add(new Descriptor(file), from)
  }

  /**
   * Puts a row at a number and releases the file that was there. On `-EBADF` (beyond the limit) the caller keeps the reference.
   */
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

  /** Moves a row to an open number. `-EBADF` if either is not open. */
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

  numbers(): ReadonlyArray<number> {
    return this.#rows.flatMap((row, fd) => row === undefined ? [] : [fd])
  }

  closeAll(): void {
    const rows = this.#rows.splice(0)
    for (const row of rows) row?.file.release()
  }

  #put(fd: number, row: Descriptor): number {
    if (fd >= this.#limit) return -Errno.EMFILE
    // Filled with `undefined`: an array with holes is slow.
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
