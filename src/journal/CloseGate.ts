/** Makes the reads and tails of a closed journal fail with `Closed`, whatever error its store reports. */
import * as Effect from "effect/Effect"
import { JournalError } from "./JournalError.ts"
import type { JournalStore } from "./JournalStore.ts"

export const closedError = (): JournalError =>
  JournalError.because(
    { _tag: "Closed" },
    "journal: nothing was read or written: the journal is closed",
  )

export class CloseGate {
  #isOpen = true

  get isOpen(): boolean {
    return this.#isOpen
  }

  close(): void {
    this.#isOpen = false
  }

  /** Runs an operation while the gate is open. An operation that fails after the gate was closed fails with `Closed` too. */
  guard<A, R>(work: Effect.Effect<A, JournalError, R>): Effect.Effect<A, JournalError, R> {
    return Effect.suspend(() =>
      this.#isOpen ? Effect.mapError(work, (error) => this.#isOpen ? error : closedError()) : Effect.fail(closedError())
    )
  }

  guardReads(store: JournalStore): Pick<JournalStore, "head" | "size" | "scan" | "check" | "verifyingScan"> {
    const { verifyingScan } = store
    return {
      head: this.guard(store.head),
      size: this.guard(store.size),
      scan: (scan) => this.guard(store.scan(scan)),
      check: store.check === undefined ? undefined : this.guard(store.check),
      verifyingScan: verifyingScan === undefined ? undefined : () => {
        const { failure, scan } = verifyingScan()
        return { failure, scan: (options) => this.guard(scan(options)) }
      },
    }
  }
}
