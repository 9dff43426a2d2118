/** Ends the requests of a branch that a dead process has left without an end in a journal. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Entry, Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { type Branch, decodeRequestEntry, draftEvent } from "./BranchDefinition.ts"
import { decodeBranchEntry, type LeaseTaken } from "./BranchEntry.ts"
import { checkLiveness } from "./HostIdentity.ts"
import { appendUnless } from "./LeaseHolder.ts"

/** Number of entries that are read at once: each may have a megabyte. */
const entriesAtOnce = 64

export interface LostRequests<Request, Event> {
  readonly after: Position
  readonly isMeant: (correlationId: string) => boolean
  readonly makeLastEvent: (request: Request, lease: LeaseTaken) => Effect.Effect<Event>
}

interface Open {
  readonly request: Entry
  lease?: LeaseTaken | undefined
}

const findOpen = <Request, Event>(
  journal: JournalService,
  branch: Branch<Request, Event>,
  { after: start, isMeant }: LostRequests<Request, Event>,
): Effect.Effect<ReadonlyMap<string, Open>, JournalError> =>
  Effect.gen(function* () {
    const open = new Map<string, Open>()
    const filter = { branch: branch.name, tags: [...branch.request.tags, ...branch.lastTags, "LeaseTaken"] }
    for (let after = start;;) {
      const entries = yield* journal.read({ after, filter, maxEntries: entriesAtOnce })
      for (const entry of entries) {
        const { correlationId, position, tag } = entry
        after = position
        if (!isMeant(correlationId)) continue
        const known = open.get(correlationId)
        if (branch.request.tags.includes(tag)) open.set(correlationId, { request: entry })
        else if (branch.lastTags.includes(tag)) open.delete(correlationId)
        else if (known !== undefined) {
          const lease = decodeBranchEntry(branch, entry)
          if (lease?._tag === "LeaseTaken") known.lease = lease
        }
      }
      if (entries.length < entriesAtOnce) return open
    }
  })

/** Ends the readable requests whose process is not alive; returns their number. */
export const endLostRequests = <Request, Event>(
  journal: JournalService,
  branch: Branch<Request, Event>,
  lost: LostRequests<Request, Event>,
): Effect.Effect<number, JournalError> =>
  Effect.gen(function* () {
    let ended = 0
    for (const [correlationId, { lease, request: entry }] of yield* findOpen(journal, branch, lost)) {
      const request = decodeRequestEntry(branch, entry)
      if (lease === undefined || request === undefined || Result.isFailure(request)) continue
      if ((yield* checkLiveness(lease.host)) === "alive") continue
      const last = draftEvent(branch, yield* lost.makeLastEvent(request.success, lease))
      const target = { branch, correlationId, journal }
      if (yield* appendUnless(target, [last], entry.position, branch.lastTags)) ended += 1
    }
    return ended
  })
