/**
 * Whether a journal is open: what is asked of it after its end is answered with `Closed`, not with what its store says.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { JournalError } from "./JournalError.ts"
import type { JournalStore } from "./JournalStore.ts"

/** What a journal answers when it was closed. */
export const closedError: JournalError = JournalError.because(
  { _tag: "Closed" },
  "journal: nothing was read or written: the journal is closed",
)

/** Open until it is closed, and never again. */
export class CloseGate {
  #isOpen = true

  get isOpen(): boolean {
    return this.#isOpen
  }

  close(): void {
    this.#isOpen = false
  }

  /** Does it while the gate is open; also what is cut short by its closing is `Closed`. */
  guard<A, R>(work: Effect.Effect<A, JournalError, R>): Effect.Effect<A, JournalError, R> {
    return Effect.suspend(() =>
      this.#isOpen ? Effect.mapError(work, (error) => this.#isOpen ? error : closedError) : Effect.fail(closedError)
    )
  }

  /** What reads a store, guarded. */
  reader(store: JournalStore): Pick<JournalStore, "head" | "size" | "scan" | "check"> {
    return {
      head: this.guard(store.head),
      size: this.guard(store.size),
      scan: (scan) => this.guard(store.scan(scan)),
      check: store.check === undefined ? undefined : this.guard(store.check),
    }
  }
}
