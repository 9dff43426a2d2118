/**
 * Remembers the exact times that were set on files of the host. The host takes times as JavaScript numbers, which
 * round them to about 240 ns or more; programs that set a time compare it with what they read back.
 *
 * @module
 */
import type { Stat } from "../Stat.ts"

/** A time as it was asked for, and as the host keeps it. */
interface RoundedTime {
  readonly asked: bigint
  readonly kept: bigint
}

/** Files whose times are remembered. */
const maxFiles = 4_096

const restoreTime = (time: bigint, rounded: RoundedTime): bigint => time === rounded.kept ? rounded.asked : time

/** Remembers, of the files whose times were set last, what was asked for. Other hands' changes are seen all the same. */
export class HostTimes {
  readonly #files = new Map<string, readonly [accessed: RoundedTime, modified: RoundedTime]>()

  /** What is known of a file, with its times as they were asked for as long as they are those that the host keeps. */
  exact(stat: Stat): Stat {
    const times = this.#files.size === 0 ? undefined : this.#files.get(keyOf(stat))
    if (times === undefined) return stat
    return { ...stat, accessed: restoreTime(stat.accessed, times[0]), modified: restoreTime(stat.modified, times[1]) }
  }

  /** Sets times of a file; what is not told stays as it is. */
  set(
    look: () => Stat | number,
    change: (accessed: bigint, modified: bigint) => number,
    accessed: bigint | undefined,
    modified: bigint | undefined,
  ): number {
    const before = look()
    if (typeof before === "number") return before
    const now = this.exact(before)
    const asked = { accessed: accessed ?? now.accessed, modified: modified ?? now.modified }
    const changed = change(asked.accessed, asked.modified)
    const kept = changed < 0 ? changed : look()
    if (typeof kept === "number") return changed
    const key = keyOf(kept)
    this.#files.delete(key)
    if (kept.accessed === asked.accessed && kept.modified === asked.modified) return changed
    this.#files.set(key, [
      { asked: asked.accessed, kept: kept.accessed },
      { asked: asked.modified, kept: kept.modified },
    ])
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= maxFiles) break
      this.#files.delete(oldest)
    }
    return changed
  }
}

const keyOf = ({ device, inode }: Stat): string => `${device} ${inode}`
