/** Tracks by the local clock how long each daemon has appended no entry, to decide when its leases lapse. */
import type { Position } from "../journal/Entry.ts"
import type { LeaseTaken } from "./BranchEntry.ts"

interface Sign {
  /** Milliseconds without an entry of the daemon; `undefined` if one was seen since the last `passTime`. */
  silence: number | undefined
  position: Position
}

/** Measures the silence of daemons by the local clock; their clocks do not matter. */
export class LivenessTracker {
  readonly #signs = new Map<string, Sign>()

  markAlive(daemon: string, position: Position): void {
    this.#signs.set(daemon, { silence: undefined, position })
  }

  /** Records the end of a daemon. It holds no lease any more, so a lease that it left behind has lapsed. */
  markGone(daemon: string, position: Position): void {
    this.#signs.set(daemon, { silence: Infinity, position })
  }

  /** Adds elapsed time. Forgets daemons that are not of interest. */
  passTime(millis: number, ofInterest: ReadonlySet<string>): void {
    for (const [daemon, sign] of this.#signs) {
      // Time before the entry does not count.
      if (ofInterest.has(daemon)) sign.silence = sign.silence === undefined ? 0 : sign.silence + millis
      else this.#signs.delete(daemon)
    }
  }

  isSilent({ daemonId: daemon, leaseMillis }: LeaseTaken): boolean {
    return leaseMillis !== null && (this.#signs.get(daemon)?.silence ?? 0) >= leaseMillis
  }

  positionOf(daemon: string): Position {
    return this.#signs.get(daemon)?.position ?? 0
  }
}
