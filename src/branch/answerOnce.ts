/** Wraps a service of one function to return the journaled answer of a request that was answered before. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal } from "../journal/JournalService.ts"
import { redactorOf } from "../journal/redaction/RememberedSecrets.ts"
import { draftEvent } from "./BranchDefinition.ts"
import { checkLiveness, currentHost, type HostIdentity } from "./HostIdentity.ts"
import { recordRequest } from "./journalRequests.ts"
import { appendUnless } from "./LeaseHolder.ts"
import { newestLease } from "./newestLease.ts"
import { redactBodies } from "./redactBodies.ts"
import { findAnswer, recordedAnswer } from "./recordedAnswer.ts"
import type { Message, RequestFailure, RequestService, ServiceBranch } from "./ServiceBranch.ts"

/** Options of {@link answerOnce}. */
export interface AnswerOnceOptions<Request> {
  /** Whether a request that was begun and has no end may be made again. Default: as the branch declares. */
  readonly canRerun?: ((request: Request) => boolean) | undefined
  /** Whether a request that ended with a fault is made again. Default: `false`. */
  readonly retriesFaults?: boolean | undefined
  /** Whether a request is known not to be in the journal, so that the search is skipped. Default: never. */
  readonly isNew?: ((request: Request) => boolean) | undefined
}

const alreadyOpen = ({ pid }: HostIdentity): RequestFailure => ({
  kind: "AlreadyOpen",
  what: `nothing was done: process ${pid} is making this request; end it first, or wait for its answer`,
})

/**
 * Wraps a service: a request whose id has an end in the journal of the context is answered from there. A request that was
 * begun and has no end fails and is ended in the journal, unless it may run again. Any other request is made and journaled.
 * A request that a live process has begun is refused, if that process is visible from here.
 *
 * @example
 * ```ts
 * import { answerOnce, requestOne } from "@sluice/shell/branch"
 * import { HttpBranch, HttpFetch, MockFetch } from "@sluice/shell/fetch"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const mock = MockFetch.make([{ url: "*", text: "hello" }])
 * const request = HttpFetch.make({ correlationId: "r1", url: "https://example.org/" })
 * const program = Effect.gen(function* () {
 *   const web = yield* answerOnce(HttpBranch, mock)
 *   yield* requestOne(web, request)
 *   yield* requestOne(web, request)
 *   return yield* mock.requests
 * })
 * console.log((await Effect.runPromise(Effect.provide(program, MemoryJournal.layer))).length) // 1
 * ```
 */
export const answerOnce = <Request extends Message, Event extends Message, Fault extends Message>(
  branch: ServiceBranch<Request, Event, Fault>,
  service: RequestService<Request, Event, Fault>,
  { canRerun = branch.canRerun, isNew = () => false, retriesFaults = false }: AnswerOnceOptions<Request> = {},
): Effect.Effect<RequestService<Request, Event, Fault>, never, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const host = yield* currentHost

    /** The process that has a request that was begun at a position, if it is seen to live. */
    const livingHolder = (
      correlationId: string,
      after: Position,
    ): Effect.Effect<HostIdentity | undefined, JournalError> =>
      Effect.gen(function* () {
        const host = (yield* newestLease(journal, branch, correlationId, { after }))?.taken.host
        return host !== undefined && (yield* checkLiveness(host)) === "alive" ? host : undefined
      })

    /** Ends a request that was begun at a position, unless another process has ended it. */
    const endAsLost = (
      request: Request,
      position: Position,
    ): Effect.Effect<Stream.Stream<Event, Fault>, JournalError> => {
      const what = "it was started before, and its outcome is unknown; check the current state before you repeat it"
      const fault = branch.makeFault(request, { kind: "HostLost", what })
      const { correlationId } = request
      const draft = draftEvent(branch, fault)
      const body = redactBodies(branch, redactorOf(journal))(draft.body)
      return Effect.map(
        appendUnless({ branch, correlationId, journal }, [{ ...draft, body }], position, branch.lastTags),
        (isEnded) =>
          isEnded ? Stream.fail(fault) : recordedAnswer(journal, branch, request, { correlationId, position }),
      )
    }

    const recorder = { branch, service, journal, host }
    return {
      request: (request, options) => {
        if (isNew(request)) {
          return recordRequest(recorder, request, options)
        }
        const decide = Effect.gen(function* () {
          const { correlationId } = request
          const found = yield* findAnswer(journal, branch, correlationId, { skipsFaults: retriesFaults })
          if (found._tag === "Unknown") {
            return recordRequest(recorder, request, options, 0)
          }
          const { position } = found
          if (found._tag === "Answered") {
            return recordedAnswer(journal, branch, request, { correlationId, position })
          }
          if (found._tag === "Begun") {
            const living = yield* livingHolder(correlationId, position)
            if (living !== undefined) {
              return Stream.fail(branch.makeFault(request, alreadyOpen(living)))
            }
            if (!canRerun(request)) {
              return yield* endAsLost(request, position)
            }
          }
          return recordRequest(recorder, request, options, position)
        })
        return Stream.unwrap(
          Effect.mapError(
            decide,
            ({ message }) =>
              branch.makeFault(request, { kind: "JournalFailed", what: `the journal failed: ${message}` }),
          ),
        )
      },
    }
  })
