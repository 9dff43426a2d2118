/**
 * Makes a service of one function that answers requests as a journal has them answered, without acting.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { canonicalJson } from "../base/canonicalJson.ts"
import type { Body } from "../journal/Entry.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { decodeEventEntry } from "./BranchDefinition.ts"
import type { Message, RequestService, ServiceBranch } from "./ServiceBranch.ts"

/** Entries that are read at once. */
const entriesAtOnce = 1_000

/** A request without its id: what two runs of one program have in common. */
const keyOf = (body: Body): string => {
  const { correlationId: _, ...rest } = body
  return canonicalJson(rest)
}

/** The ids of recorded requests by their content, in the order in which they were made. */
const recordedRequests = (
  journal: JournalService,
  branch: { readonly name: string; readonly request: { readonly tags: ReadonlyArray<string> } },
): Effect.Effect<Map<string, Array<string>>, JournalError> =>
  Effect.gen(function* () {
    const requests = new Map<string, Array<string>>()
    const filter = { branch: branch.name, tags: branch.request.tags }
    for (let after = 0;;) {
      const entries = yield* journal.read({ after, filter, limit: entriesAtOnce })
      for (const { body, correlationId, position } of entries) {
        after = position
        if (body === undefined) continue
        const key = keyOf(body)
        const ids = requests.get(key)
        if (ids === undefined) requests.set(key, [correlationId])
        else ids.push(correlationId)
      }
      if (entries.length < entriesAtOnce) return requests
    }
  })

/** The recorded answer to a request, whose id was `id`. */
export const recordedAnswer = <Request extends Message, Event extends Message, Fault extends Message>(
  journal: JournalService,
  branch: ServiceBranch<Request, Event, Fault>,
  request: Request,
  id: string,
): Stream.Stream<Event, Fault> => {
  const failed = (what: string): Fault => branch.makeFault(request, { kind: "Broken", what })
  const filter = { branch: branch.name, correlationId: id, tags: branch.event.tags }
  let after = 0
  const next = Effect.gen(function* () {
    const [entry] = yield* Effect.mapError(journal.read({ after, filter, limit: 1 }), ({ message }) => failed(message))
    if (entry === undefined) {
      return yield* Effect.fail(failed("its recording has no end"))
    }
    after = entry.position
    const { body } = entry
    const renamed = body === undefined ? entry : { ...entry, body: { ...body, correlationId: request.correlationId } }
    const event = decodeEventEntry(branch, renamed)
    if (event === undefined || Result.isFailure(event)) {
      return yield* Effect.fail(failed(`entry ${entry.position} of its recording cannot be read`))
    }
    return event.success
  })
  const nothing: ReadonlyArray<Event> = []
  return Stream.paginate(undefined, () =>
    Effect.gen(function* () {
      const event = yield* next
      if (branch.isFault(event)) return yield* Effect.fail(event)
      if (branch.isStreamEnd(event)) return [nothing, Option.none<undefined>()] as const
      const again = branch.isPiece(event) ? Option.some(undefined) : Option.none<undefined>()
      return [[event], again] as const
    }))
}

/**
 * Makes a service that answers each request as the journal of the context has the same request answered, and acts on
 * nothing. The same request made again gets the next recorded answer, and at the end the last one once more. A request that
 * was not recorded, or has no recorded end, fails.
 *
 * @stability experimental
 */
export const replayRequests = <Request extends Message, Event extends Message, Fault extends Message>(
  branch: ServiceBranch<Request, Event, Fault>,
): Effect.Effect<RequestService<Request, Event, Fault>, JournalError, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const recorded = yield* recordedRequests(journal, branch)

    return {
      request: (request, { content } = {}) =>
        Stream.suspend(() => {
          const ids = recorded.get(keyOf(branch.request.encode(request)))
          const id = ids !== undefined && ids.length > 1 ? ids.shift() : ids?.[0]
          if (id === undefined) {
            return Stream.fail(branch.makeFault(request, { kind: "Broken", what: "this request was not recorded" }))
          }
          const events = recordedAnswer(journal, branch, request, id)
          // What was to be written is read as it was then, and kept nowhere.
          const read = content === undefined ? Effect.void : Effect.ignore(Stream.runDrain(content))
          return Stream.unwrap(Effect.as(read, events))
        }),
    }
  })
