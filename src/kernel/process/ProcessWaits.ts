/** Holds the pending waits of one process, and the gate of a scheduler that continues one process at a time. */
import type { StopWaiting } from "../OpenFile.ts"

/** A wait that a signal or a kill can end. */
export interface AbortableWait {
  /** Whether a signal with a handler ends it. */
  readonly interruptible: boolean
  interrupt(): void
  abort(): void
}

/** Notifies a scheduler when a process starts, waits, can continue, and ends. */
export interface WaitGate {
  readonly start: () => void
  readonly block: () => void
  /** Calls `resolve` when it is the turn of the process. */
  readonly resume: (resolve: () => void) => void
  readonly end: () => void
  /** Records that one of the waits is for code of the host, until the returned function is called. */
  readonly hostWait: () => StopWaiting
}

export class ProcessWaits extends Set<AbortableWait> {
  /** `undefined`: a wait continues the process at once. */
  readonly gate: WaitGate | undefined

  constructor(gate: WaitGate | undefined) {
    super()
    this.gate = gate
  }
}
