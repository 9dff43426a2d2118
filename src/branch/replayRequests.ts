/** Makes a service of one function that answers requests from a journal, without side effects. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Entry } from "../journal/Entry.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { redactorOf } from "../journal/redaction/RememberedSecrets.ts"
import { detachContent } from "./requestContent.ts"
import { redactBodies } from "./redactBodies.ts"
import { contentKey, recordedAnswer } from "./recordedAnswer.ts"
import type { Message, RequestService, ServiceBranch } from "./ServiceBranch.ts"

const entriesAtOnce = 1_000

type Recorded = Pick<Entry, "correlationId" | "position">

const recordedRequests = (
  journal: JournalService,
  branch: { readonly name: string; readonly request: { readonly tags: ReadonlyArray<string> } },
): Effect.Effect<Map<string, Array<Recorded>>, JournalError> =>
  Effect.gen(function* () {
    const requests = new Map<string, Array<Recorded>>()
    const filter = { branch: branch.name, tags: branch.request.tags }
    for (let after = 0;;) {
      const entries = yield* journal.read({ after, filter, maxEntries: entriesAtOnce })
      for (const { body, correlationId, position } of entries) {
        after = position
        if (body === undefined) continue
        const key = contentKey(body)
        const same = requests.get(key)
        if (same === undefined) requests.set(key, [{ correlationId, position }])
        else same.push({ correlationId, position })
      }
      if (entries.length < entriesAtOnce) return requests
    }
  })

/**
 * Makes a service that answers each request with the recorded answer to the same request in the journal of the context,
 * without side effects. A repeated request gets the next recorded answer, and after the last one that one again. A
 * request that was not recorded, or has no recorded end, fails. In a journal that was written with a redactor, requests
 * with a secret are found with the same redactor.
 *
 * @example
 * ```ts
 * import { journalRequests, replayRequests, requestOne } from "@sluice/shell/branch"
 * import { HttpBranch, HttpFetch, MockFetch } from "@sluice/shell/fetch"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const web = yield* journalRequests(HttpBranch, MockFetch.make([{ url: "*", status: 404 }]))
 *   yield* requestOne(web, HttpFetch.make({ url: "https://example.org/" }))
 *   const recorded = yield* replayRequests(HttpBranch)
 *   return yield* requestOne(recorded, HttpFetch.make({ url: "https://example.org/" }))
 * })
 * console.log((await Effect.runPromise(Effect.provide(program, MemoryJournal.layer))).status) // 404
 * ```
 */
export const replayRequests = <Request extends Message, Event extends Message, Fault extends Message>(
  branch: ServiceBranch<Request, Event, Fault>,
): Effect.Effect<RequestService<Request, Event, Fault>, JournalError, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const recorded = yield* recordedRequests(journal, branch)

    return {
      request: (given, options) =>
        Stream.suspend(() => {
          const { content, request } = detachContent(branch, given, options)
          const same = recorded.get(
            contentKey(redactBodies(branch, redactorOf(journal))(branch.request.encode(request))),
          )
          const next = same !== undefined && same.length > 1 ? same.shift() : same?.[0]
          return next === undefined
            ? Stream.fail(branch.makeFault(request, { kind: "Broken", what: "this request was not recorded" }))
            : recordedAnswer(journal, branch, request, next, { content })
        }),
    }
  })
