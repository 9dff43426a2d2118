/** Ends a request without a lease, for a daemon that declines it. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Entry } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { decodeRequestEntry, draftEvent } from "./BranchDefinition.ts"
import type { DaemonContext } from "./DaemonContext.ts"
import type { EndCause } from "./EndCause.ts"
import { appendUnless } from "./LeaseHolder.ts"

/** Ends a request without a lease. Returns whether it has ended, also by another or because it was pruned. */
export const endUnleased = <Request, Event, E>(
  { branch, journal, settings }: DaemonContext<Request, Event, E>,
  entry: Entry,
  ending: EndCause<E>,
): Effect.Effect<boolean, JournalError> =>
  Effect.gen(function* () {
    const { correlationId, position: after } = entry
    if (entry.body === undefined) return true
    const request = decodeRequestEntry(branch, entry)
    if (request === undefined || Result.isFailure(request)) return false
    const last = yield* settings.makeLastEvent(request.success, ending)
    const tags = ["LeaseTaken", ...branch.lastTags]
    if (yield* appendUnless({ branch, correlationId, journal }, [draftEvent(branch, last)], after, tags)) return true
    const filter = { branch: branch.name, correlationId, tags: branch.lastTags }
    return (yield* journal.read({ after, filter, maxEntries: 1 })).length > 0
  })
