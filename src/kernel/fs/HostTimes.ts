/**
 * Sets times on files of the host, and shows them in stats exactly as they were set: the host rounds times to 240 ns or
 * more, but programs compare the times that they set and read back.
 */
import type { Stat } from "../Stat.ts"

interface RoundedTime {
  readonly requested: bigint
  readonly kept: bigint
}

const maxFiles = 4_096

const restoreTime = (time: bigint, rounded: RoundedTime): bigint => time === rounded.kept ? rounded.requested : time

/** The requested times of the files whose times were set last. Changes by others are still seen. */
export class HostTimes {
  readonly #files = new Map<string, readonly [accessed: RoundedTime, modified: RoundedTime]>()

  /** Replaces stored times in a stat by the requested ones, unless they have changed since. */
  exact(stat: Stat): Stat {
    const times = this.#files.size === 0 ? undefined : this.#files.get(keyOf(stat))
    if (times === undefined) return stat
    return { ...stat, accessed: restoreTime(stat.accessed, times[0]), modified: restoreTime(stat.modified, times[1]) }
  }

  set(
    look: () => Stat | number,
    change: (accessed: bigint, modified: bigint) => number,
    accessed: bigint | undefined,
    modified: bigint | undefined,
  ): number {
    const before = look()
    if (typeof before === "number") return before
    const now = this.exact(before)
    const requested = { accessed: accessed ?? now.accessed, modified: modified ?? now.modified }
    const changed = change(requested.accessed, requested.modified)
    const kept = changed < 0 ? changed : look()
    if (typeof kept === "number") return changed
    const key = keyOf(kept)
    this.#files.delete(key)
    if (kept.accessed === requested.accessed && kept.modified === requested.modified) return changed
    this.#files.set(key, [
      { requested: requested.accessed, kept: kept.accessed },
      { requested: requested.modified, kept: kept.modified },
    ])
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= maxFiles) break
      this.#files.delete(oldest)
    }
    return changed
  }
}

const keyOf = ({ device, inode }: Stat): string => `${device} ${inode}`
