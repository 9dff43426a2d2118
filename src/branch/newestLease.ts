/** Reads the newest lease of a request from a journal. */
import * as Effect from "effect/Effect"
import type { Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { decodeBranchEntry, type LeaseTaken } from "./BranchEntry.ts"
import type { ObservedLease } from "./OpenRequests.ts"

/** Entries of one read, newest first: most requests have one lease. */
const entriesAtOnce = 8

const leaseTag: LeaseTaken["_tag"] = "LeaseTaken"

export interface NewestLease extends ObservedLease {
  /** The position of the newest `LeaseTaken`, also one that cannot be read. */
  readonly newest: Position
}

/** The newest lease of a request between two positions, both exclusive. Unreadable entries are skipped. */
export const newestLease = (
  journal: JournalService,
  branch: { readonly name: string },
  correlationId: string,
  { after = 0, before: end }: { readonly after?: Position | undefined; readonly before?: Position | undefined },
): Effect.Effect<NewestLease | undefined, JournalError> =>
  Effect.gen(function* () {
    const filter = { branch: branch.name, correlationId, tags: [leaseTag] }
    let newest: Position | undefined
    for (let before = end;;) {
      const entries = yield* journal.readBackward({ before, filter, maxEntries: entriesAtOnce })
      for (const entry of entries) {
        if (entry.position <= after) return undefined
        newest ??= entry.position
        const taken = decodeBranchEntry(branch, entry)
        if (taken?._tag === leaseTag) return { position: entry.position, taken, newest }
        before = entry.position
      }
      if (entries.length < entriesAtOnce) return undefined
    }
  })
