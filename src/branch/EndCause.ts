/** Declares why a daemon or a client ends a request in place of its service. */
import type * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import type { JournalError } from "../journal/JournalError.ts"
import type { LeaseTaken } from "./BranchEntry.ts"

/** The state of a run whose process was lost. */
export interface RecoveryReport {
  /** Number of processes of the run that were found and ended; missing where the process table cannot be read. */
  readonly ended?: number | undefined
}

/**
 * The cause for which a request ends without a last event of the service; the branch makes the last event from it.
 *
 * - `Broken`: the service failed, or died of a defect.
 * - `Unfinished`: the events of the service ended without a last one.
 * - `Cancelled`: it was cancelled; `by` names the requester: a client (`"consumer"` when it went away), or the daemon that
 *   was shut down (`"shutdown"`).
 * - `HostLost`: the process that ran it is lost. `lost` is its lease, `recovered` the result of the cleanup, `attempts` the
 *   number of runs.
 * - `JournalFailed`: the journal did not take its events.
 * - `NotTaken`: no daemon took it within `afterMillis`. `why`: no daemon showed itself for that time, or all were busy.
 * - `Throttled`: a daemon has `maxOpen` open requests, of which it runs up to `maxConcurrency`, and no other has room.
 */
export type EndCause<E = unknown> =
  | { readonly _tag: "Broken"; readonly cause: Cause.Cause<E> }
  | { readonly _tag: "Unfinished" }
  | { readonly _tag: "Cancelled"; readonly by: string | undefined }
  | {
    readonly _tag: "HostLost"
    readonly lost: LeaseTaken
    readonly recovered: RecoveryReport
    readonly attempts: number
  }
  | { readonly _tag: "JournalFailed"; readonly error: JournalError }
  | { readonly _tag: "NotTaken"; readonly afterMillis: number; readonly why: "noDaemon" | "busy" }
  | { readonly _tag: "Throttled"; readonly maxConcurrency: number; readonly maxOpen: number }

/** Makes the last event of a request that the service did not end. It must not fail. */
export type MakeLastEvent<Request, Event, E> = (request: Request, ending: EndCause<E>) => Effect.Effect<Event>
