/** Ends the requests without a lease when the last daemon of a branch shuts down. */
import * as Effect from "effect/Effect"
import type { JournalError } from "../journal/JournalError.ts"
import type { DaemonContext } from "./DaemonContext.ts"
import { endUnleased } from "./endUnleased.ts"
import { findPeers } from "./findPeers.ts"

const batch = 256

/** Ends the requests without a lease as cancelled by the shutdown, unless another daemon is there to take them. */
export const endWaiting = <Request, Event, E>(
  context: DaemonContext<Request, Event, E>,
): Effect.Effect<void, JournalError> =>
  Effect.gen(function* () {
    const { branch, journal, requests } = context
    let after = requests.settled
    if (after >= (yield* journal.head).position) return
    if ((yield* findPeers(context)).some(({ isSeen }) => isSeen)) return
    for (;;) {
      const filter = { branch: branch.name, tags: branch.request.tags }
      const entries = yield* journal.read({ after, filter, maxEntries: batch })
      for (const entry of entries) {
        const { correlationId, position } = entry
        after = position
        // A request that is not tracked, although there was room for it, has ended.
        const isKept = requests.get(correlationId)?.position === position
        if (!isKept && position <= Math.min(requests.cursor, requests.behind ?? Infinity)) continue
        yield* endUnleased(context, entry, { _tag: "Cancelled", by: "shutdown" })
      }
      if (entries.length < batch) return
    }
  })
