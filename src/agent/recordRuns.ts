/** Records agent runs in a journal; refuses the id of another run, or of a run in progress. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { checkLiveness, currentHost } from "../branch/HostIdentity.ts"
import { recordRequest } from "../branch/journalRequests.ts"
import { newestLease } from "../branch/newestLease.ts"
import { contentKey } from "../branch/recordedAnswer.ts"
import { redactBodies } from "../branch/redactBodies.ts"
import type { Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import { Shell } from "../shell/Shell.ts"
import { redactorOf } from "../journal/redaction/RememberedSecrets.ts"
import { AgentFault, type AgentRun, AgentRunBranch } from "./AgentRunBranch.ts"
import { endLostWork } from "./endLostWork.ts"

type Events = Stream.Stream<AgentEvent, AgentFault>

/** Everything that determines the prompts; equal for a run and its continuation. */
const identityOf = (run: AgentRun, redactor: JournalService["redactor"]): string => {
  const { approval: _, model: __, place: ___, ...rest } = run
  return contentKey(redactBodies(AgentRunBranch, redactor)(AgentRunBranch.request.encode({ ...rest })))
}

const journalFailed = ({ correlationId }: AgentRun, { message }: JournalError): AgentFault =>
  new AgentFault({ correlationId, faultKind: "JournalFailed", message: `agent: ${message}` })

/** Fails if the id of a run is taken. Returns the position of the entry that last began it; 0 for a new run. */
const checkId = (journal: JournalService, run: AgentRun): Effect.Effect<Position, AgentFault> =>
  Effect.gen(function* () {
    const { correlationId } = run
    const fail = (faultKind: string, message: string) =>
      Effect.fail(new AgentFault({ correlationId, faultKind, message }))
    const newest = (tags: ReadonlyArray<string>) =>
      journal.readBackward({ filter: { branch: AgentRunBranch.name, correlationId, tags }, maxEntries: 1 })
    const [before] = yield* newest(["AgentRun"])
    if (before?.body === undefined) return before?.position ?? 0
    const recorded = AgentRunBranch.request.decode(before.body, before.version)
    if (
      recorded._tag === "Failure" || identityOf(recorded.success, undefined) !== identityOf(run, redactorOf(journal))
    ) {
      const why = "has another task, system text, tools or context limits"
      return yield* fail("OtherRun", `agent: the run ${correlationId} of this journal ${why}; choose another id`)
    }
    const [end] = yield* newest(AgentRunBranch.lastTags)
    const after = Math.max(before.position, end?.position ?? 0)
    const host = (yield* newestLease(journal, AgentRunBranch, correlationId, { after }))?.taken.host
    if (host === undefined || (yield* checkLiveness(host)) !== "alive") return before.position
    const { pid } = host
    return yield* fail(
      "AlreadyRunning",
      `agent: the run ${correlationId} is still running in process ${pid}; end it first`,
    )
  }).pipe(Effect.catchTag("JournalError", (error) => Effect.fail(journalFailed(run, error))))

/** Makes the function that writes a run into the journal of the context. Ends the open requests of a killed run. */
export const recordRuns: Effect.Effect<(run: AgentRun, events: Events) => Events, never, Journal> = Effect.gen(
  function* () {
    const journal = yield* Journal
    const host = yield* currentHost
    const shell = Option.getOrUndefined(yield* Effect.serviceOption(Shell))
    return (run, events) =>
      Stream.unwrap(Effect.gen(function* () {
        const { correlationId } = run
        const before = yield* checkId(journal, run)
        const own = { branch: AgentRunBranch.name, correlationId, tags: ["AgentRun"] }
        const endLost = Effect.gen(function* () {
          const [first] = yield* journal.read({ filter: own, maxEntries: 1 })
          if (first !== undefined) yield* endLostWork(journal, shell, { id: correlationId, begun: first.position })
        }).pipe(Effect.mapError((error) => journalFailed(run, error)))
        const continued = before === 0 ? events : Stream.unwrap(Effect.as(endLost, events))
        // If two processes continue a run, only one wins.
        const recorder = { branch: AgentRunBranch, service: { request: () => continued }, journal, host }
        return recordRequest(recorder, run, {}, before)
      }))
  },
)
