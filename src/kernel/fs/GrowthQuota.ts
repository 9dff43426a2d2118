/**
 * Limits how many bytes the files of host folders may grow by, over all folders of a file system. Removing a file
 * makes room again; a removed file that is still open counts until it is closed.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import { FileType, type Stat } from "../Stat.ts"

const keyOf = ({ device, inode }: Stat): string => `${device}:${inode}`

/** A count of bytes, and the files that are open. */
export class GrowthQuota {
  readonly #max: number
  #used = 0
  readonly #open = new Map<string, number>()

  /** `max`: bytes. */
  constructor(max: number) {
    this.#max = max
  }

  /** Takes as many of these bytes as there is room for. */
  take(bytes: number): number {
    const taken = Math.max(0, Math.min(bytes, this.#max - this.#used))
    this.#used += taken
    return taken
  }

  /** Gives bytes back. */
  give(bytes: number): void {
    this.#used = Math.max(0, this.#used - bytes)
  }

  /** A file gets another size by a call that answers with 0 or an errno. */
  resize(from: number, to: number, change: () => number): number {
    const wanted = Math.max(0, to - from)
    const taken = this.take(wanted)
    const result = taken < wanted ? -Errno.ENOSPC : change()
    if (result < 0) this.give(taken)
    else if (to < from) this.give(from - to)
    return result
  }

  /** A file was opened. */
  opened(file: Stat | number): void {
    if (typeof file === "object") this.#open.set(keyOf(file), (this.#open.get(keyOf(file)) ?? 0) + 1)
  }

  /** A file was closed; what was known of it just before. */
  closed(file: Stat | number): void {
    if (typeof file === "number") return
    const left = (this.#open.get(keyOf(file)) ?? 1) - 1
    if (left > 0) return void this.#open.set(keyOf(file), left)
    this.#open.delete(keyOf(file))
    if (file.links === 0) this.give(file.size)
  }

  /** A name of a file was removed; what was known of it just before. */
  removed(file: Stat | number): void {
    if (typeof file === "number" || file.type !== FileType.regularFile) return
    if (file.links <= 1 && !this.#open.has(keyOf(file))) this.give(file.size)
  }
}
