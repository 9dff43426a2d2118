/**
 * Holds entries of output that comes whole for some milliseconds, so that those of a short command are appended with its end.
 */
import type { ComputeEvent } from "./ComputeBranch.ts"

/** Entries of one append. */
const maxHeld = 32

/** Time for which entries are held where there is no silence. */
const maxHeldMillis = 20

/** Entries that are not appended yet. */
export class HeldEntries {
  #entries: Array<ComputeEvent> = []
  #sinceMillis = 0

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  /** Adds entries. */
  push(entries: ReadonlyArray<ComputeEvent>, nowMillis: number): void {
    if (this.isEmpty) this.#sinceMillis = nowMillis
    this.#entries.push(...entries)
  }

  /** Whether they are held long enough. */
  isDue(nowMillis: number): boolean {
    return this.#entries.length >= maxHeld || nowMillis - this.#sinceMillis >= maxHeldMillis
  }

  /** Takes all of them. */
  take(): Array<ComputeEvent> {
    const taken = this.#entries
    this.#entries = []
    return taken
  }
}
