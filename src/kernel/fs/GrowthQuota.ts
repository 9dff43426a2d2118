/** Limits the total number of bytes by which the files of host folders may grow. */
import { Errno } from "../Errno.ts"
import { FileType, type Stat } from "../Stat.ts"

const keyOf = ({ device, inode }: Stat): string => `${device}:${inode}`

export class GrowthQuota {
  readonly #max: number
  #used = 0
  readonly #open = new Map<string, number>()

  constructor(max: number) {
    this.#max = max
  }

  /** Takes as many of the bytes as the quota allows, and returns their number. */
  take(bytes: number): number {
    const taken = Math.max(0, Math.min(bytes, this.#max - this.#used))
    this.#used += taken
    return taken
  }

  give(bytes: number): void {
    this.#used = Math.max(0, this.#used - bytes)
  }

  /** Changes the size of a file within the quota. `change` returns 0 or an errno. */
  resize(from: number, to: number, change: () => number): number {
    const wanted = Math.max(0, to - from)
    const taken = this.take(wanted)
    const result = taken < wanted ? -Errno.ENOSPC : change()
    if (result < 0) this.give(taken)
    else if (to < from) this.give(from - to)
    return result
  }

  opened(file: Stat | number): void {
    if (typeof file === "object") this.#open.set(keyOf(file), (this.#open.get(keyOf(file)) ?? 0) + 1)
  }

  /** Records that a file was closed; takes its stat from just before. */
  closed(file: Stat | number): void {
    if (typeof file === "number") return
    const left = (this.#open.get(keyOf(file)) ?? 1) - 1
    if (left > 0) return void this.#open.set(keyOf(file), left)
    this.#open.delete(keyOf(file))
    if (file.links === 0) this.give(file.size)
  }

  /** Records that a name of a file was removed; takes its stat from just before. */
  removed(file: Stat | number): void {
    if (typeof file === "number" || file.type !== FileType.regularFile) return
    if (file.links <= 1 && !this.#open.has(keyOf(file))) this.give(file.size)
  }
}
