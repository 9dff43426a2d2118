/**
 * Wraps a service of one function so that a request whose answer is in the journal gets that answer, and no other request
 * is made twice: a program that was killed continues where it was when it runs again.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Journal } from "../journal/JournalService.ts"
import { journalRequests } from "./journalRequests.ts"
import { recordedAnswer } from "./replayRequests.ts"
import type { Message, RequestService, ServiceBranch } from "./ServiceBranch.ts"

/**
 * Wraps a service: a request whose id has an end in the journal of the context is answered from there; one that was begun
 * and has no end fails, unless the branch says that it may run again; any other is made, and journaled.
 *
 * @stability experimental
 */
export const answerOnce = <Request extends Message, Event extends Message, Fault extends Message>(
  branch: ServiceBranch<Request, Event, Fault>,
  service: RequestService<Request, Event, Fault>,
): Effect.Effect<RequestService<Request, Event, Fault>, never, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const journaled = yield* journalRequests(branch, service)
    return {
      request: (request, options) => {
        const { correlationId } = request
        const newest = (tags: ReadonlyArray<string>) =>
          journal.readBackward({ filter: { branch: branch.name, correlationId, tags }, limit: 1 })
        const decide = Effect.gen(function* () {
          const [end] = yield* newest(branch.lastTags)
          if (end !== undefined) return recordedAnswer(journal, branch, request, correlationId)
          const [begun] = yield* newest(branch.request.tags)
          if (begun === undefined || branch.canRerun(request)) return journaled.request(request, options)
          const what = "it was begun before, and whether it was done is not known"
          return Stream.fail(branch.makeFault(request, { kind: "HostLost", what }))
        })
        return Stream.unwrap(Effect.mapError(decide, ({ message }) =>
          branch.makeFault(request, { kind: "JournalFailed", what: `the journal failed: ${message}` })))
      },
    }
  })
