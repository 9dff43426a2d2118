/**
 * Tracks how long each daemon has been silent, measured by the local clock.
 *
 * @module
 */
import type { Position } from "../journal/Entry.ts"
import type { LeaseTaken } from "./BranchEntry.ts"

interface Sign {
  /** Milliseconds for which nothing was heard; `undefined` when something was heard since time passed last. */
  silence: number | undefined
  /** The newest entry by which it showed itself. */
  position: Position
}

/** Counts the silence of daemons by the time that passes here, whatever their clocks say. */
export class LivenessTracker {
  readonly #signs = new Map<string, Sign>()

  /** A daemon has shown itself. */
  markAlive(daemon: string, position: Position): void {
    this.#signs.set(daemon, { silence: undefined, position })
  }

  /** A daemon has said goodbye: it holds no lease, so one that it had to leave behind need not be waited for. */
  markGone(daemon: string, position: Position): void {
    this.#signs.set(daemon, { silence: Infinity, position })
  }

  /** Time has passed. Daemons that are not of interest are forgotten. */
  passTime(millis: number, ofInterest: ReadonlySet<string>): void {
    for (const [daemon, sign] of this.#signs) {
      // What passed before the sign does not count.
      if (ofInterest.has(daemon)) sign.silence = sign.silence === undefined ? 0 : sign.silence + millis
      else this.#signs.delete(daemon)
    }
  }

  /** Whether nothing was heard of a lease's daemon for as long as the lease lasts. */
  isSilent({ daemonId: daemon, leaseMillis }: LeaseTaken): boolean {
    return leaseMillis !== null && (this.#signs.get(daemon)?.silence ?? 0) >= leaseMillis
  }

  /** The newest entry by which a daemon showed itself; 0 when it is not known. */
  positionOf(daemon: string): Position {
    return this.#signs.get(daemon)?.position ?? 0
  }
}
