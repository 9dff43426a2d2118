/**
 * Writes runs of agents into a journal, each with its end; refuses the id of another run, and of one that still goes on.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { canonicalJson } from "../base/canonicalJson.ts"
import { decodeBranchEntry } from "../branch/BranchEntry.ts"
import { checkLiveness } from "../branch/HostIdentity.ts"
import { journalRequests } from "../branch/journalRequests.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import { AgentFault, type AgentRun, AgentRunBranch } from "./AgentRunBranch.ts"

type Events = Stream.Stream<AgentEvent, AgentFault>

/** What two runs with one id have in common: all that decides what the model is asked. */
const identityOf = (run: AgentRun): string => {
  const { model: _, ...rest } = run
  return canonicalJson(AgentRunBranch.request.encode({ ...rest }))
}

/** Fails if the id of a run is taken. */
const checkId = (journal: JournalService, run: AgentRun): Effect.Effect<void, AgentFault> =>
  Effect.gen(function* () {
    const { correlationId } = run
    const fail = (code: string, message: string) => Effect.fail(new AgentFault({ correlationId, code, message }))
    const newest = (tags: ReadonlyArray<string>) =>
      journal.readBackward({ filter: { branch: AgentRunBranch.name, correlationId, tags }, limit: 1 })
    const [before] = yield* newest(["AgentRun"])
    if (before?.body === undefined) return
    const recorded = AgentRunBranch.request.decode(before.body, before.version)
    if (recorded._tag === "Failure" || identityOf(recorded.success) !== identityOf(run)) {
      const why = "has another task, system text, tools or context limits"
      return yield* fail("OtherRun", `agent: the run ${correlationId} of this journal ${why}; choose another id`)
    }
    const [newestEntry] = yield* newest(["LeaseTaken", ...AgentRunBranch.lastTags])
    const lease = newestEntry === undefined ? undefined : decodeBranchEntry(AgentRunBranch, newestEntry)
    if (lease?._tag !== "LeaseTaken" || (yield* checkLiveness(lease.host)) !== "alive") return
    const { pid } = lease.host
    return yield* fail("AlreadyRunning", `agent: the run ${correlationId} goes on in process ${pid}; end it first`)
  }).pipe(
    Effect.catchTag("JournalError", ({ message }) => {
      const { correlationId } = run
      return Effect.fail(new AgentFault({ correlationId, code: "JournalFailed", message: `agent: ${message}` }))
    }),
  )

/** Makes the function that writes a run into the journal of the context. */
export const recordRuns: Effect.Effect<(run: AgentRun, events: Events) => Events, never, Journal> = Effect.gen(
  function* () {
    const journal = yield* Journal
    return (run, events) =>
      Stream.unwrap(Effect.gen(function* () {
        yield* checkId(journal, run)
        const recorded = yield* Effect.provideService(
          journalRequests(AgentRunBranch, { request: () => events }),
          Journal,
          journal,
        )
        return recorded.request(run)
      }))
  },
)
