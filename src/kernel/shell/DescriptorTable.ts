/**
 * Maps the descriptor numbers that a script sees to descriptors of the shell's process. A redirection changes an entry,
 * and a child inherits the table. Thus no descriptor has to be moved and restored, and a command never sees descriptors
 * that the shell opens for itself.
 */

/** Pairs of a number that a command sees and a descriptor of the process. */
export type FdPairs = ReadonlyArray<readonly [number, number]>

export class DescriptorTable {
  readonly #entries: Map<number, number>
  /** Numbers that children do not inherit: those of coprocesses. */
  readonly #private = new Set<number>()

  constructor(descriptors: ReadonlyArray<number>) {
    this.#entries = new Map(descriptors.map((fd) => [fd, fd]))
  }

  get(fd: number): number | undefined {
    return this.#entries.get(fd)
  }

  set(fd: number, real: number | undefined): number | undefined {
    const before = this.#entries.get(fd)
    this.#private.delete(fd)
    if (real === undefined) this.#entries.delete(fd)
    else this.#entries.set(fd, real)
    return before
  }

  /** The lowest free number from `from` on. */
  free(from: number): number {
    let fd = from
    while (this.#entries.has(fd)) fd++
    return fd
  }

  /** Sets the descriptor of a free number from `from` on, which children do not inherit, and returns the number. */
  addPrivate(real: number, from: number): number {
    const fd = this.free(from)
    this.set(fd, real)
    this.#private.add(fd)
    return fd
  }

  /** Sets the descriptor of the highest free number up to `from` and returns the number. */
  addBelow(real: number, from: number): number {
    let fd = from
    while (this.#entries.has(fd)) fd--
    this.set(fd, real)
    return fd
  }

  forChild(replaced: FdPairs = []): FdPairs {
    if (replaced.length === 0 && this.#private.size === 0) return [...this.#entries]
    const table = new Map(this.#entries)
    for (const fd of this.#private) table.delete(fd)
    for (const [fd, real] of replaced) table.set(fd, real)
    return [...table]
  }
}
