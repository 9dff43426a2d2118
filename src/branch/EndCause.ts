/**
 * Causes for which a daemon or client, and not the service, ends a request.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import type { JournalError } from "../journal/JournalError.ts"
import type { LeaseTaken } from "./BranchEntry.ts"

/** What was found of a run whose process was lost. */
export interface RecoveryReport {
  /** How many things it had left behind were found and ended; missing when nobody could look. */
  readonly ended?: number | undefined
}

/**
 * How a request ends when the service that answers it does not end it itself; the branch makes its last event of it.
 *
 * - `Broken`: the answer failed, or broke.
 * - `Unfinished`: the answer ended without a last event.
 * - `Cancelled`: somebody wanted it to end, and `by` says who: a client (`"consumer"` when it went away), or the daemon
 *   that was shut down (`"shutdown"`).
 * - `HostLost`: the process that answered it is lost. `lost` is its lease, `recovered` what was found of it, `attempts`
 *   how often the request was run.
 * - `JournalFailed`: the journal did not take what it brought.
 * - `NotTaken`: nobody answered it within a time. `why` says whether no daemon was seen for so long, or all were busy.
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
  | { readonly _tag: "NotTaken"; readonly afterMillis: number; readonly why: "nobody" | "busy" }

/** Makes the last event of a request that its answer does not end. It must not break. */
export type MakeLastEvent<Request, Event, E> = (request: Request, ending: EndCause<E>) => Effect.Effect<Event>
