/**
 * Wraps a service of one function so that each request, its content and its answer are appended to a journal.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import { draftEvent, draftRequest } from "./BranchDefinition.ts"
import { draftOwnLease } from "./BranchEntry.ts"
import { currentHost, type HostIdentity } from "./HostIdentity.ts"
import type { Message, RequestService, ServiceBranch } from "./ServiceBranch.ts"
import { splitBytes } from "./splitBytes.ts"

/** Bytes of one entry of content. */
const contentBytes = 65_536

/** The content of a request, each piece journaled before it is used. */
const recordContent = <Request extends Message, Event extends Message, Fault extends Message>(
  journal: JournalService,
  branch: ServiceBranch<Request, Event, Fault>,
  request: Request,
  content: Stream.Stream<Uint8Array, unknown>,
): Stream.Stream<Uint8Array, unknown> => {
  const codec = branch.content
  if (codec === undefined) return content
  let offset = 0
  const append = (data: Uint8Array, isFinal: boolean): Effect.Effect<unknown, JournalError> =>
    Effect.suspend(() => {
      const body = codec.encode(request, offset, data, isFinal)
      offset += data.length
      const { name, version } = branch
      return journal.append([{ branch: name, correlationId: branch.correlationOf(request), version, body }])
    })
  return splitBytes(content, contentBytes).pipe(
    Stream.tap((data) => append(data, false)),
    Stream.onEnd(Effect.suspend(() => append(new Uint8Array(0), true))),
  )
}

const record = <Request extends Message, Event extends Message, Fault extends Message>(
  branch: ServiceBranch<Request, Event, Fault>,
  service: RequestService<Request, Event, Fault>,
  journal: JournalService,
  host: HostIdentity,
): RequestService<Request, Event, Fault>["request"] =>
(request, { content } = {}) => {
  const { correlationId } = request
  const failed = (error: JournalError): Fault =>
    branch.makeFault(request, { kind: "JournalFailed", what: `the journal failed: ${error.message}` })
  let inPieces = false
  let isOpen = false
  const write = (events: ReadonlyArray<Parameters<typeof branch.isLast>[0]>): Effect.Effect<void, Fault> =>
    Effect.uninterruptible(Effect.suspend(() => {
      if (events.some(branch.isLast)) isOpen = false
      return journal.append(events.map((event) => draftEvent(branch, event))).pipe(
        Effect.mapError(failed),
        Effect.asVoid,
      )
    }))
  const begin = Effect.gen(function* () {
    yield* Effect.addFinalizer(() =>
      isOpen
        ? Effect.ignore(write([branch.makeFault(request, { kind: "Cancelled", what: "it was cancelled (consumer)" })]))
        : Effect.void
    )
    yield* Effect.uninterruptible(
      journal.append([draftRequest(branch, request), draftOwnLease(branch, request, host)]).pipe(
        Effect.mapError(failed),
        Effect.andThen(Effect.sync(() => void (isOpen = true))),
      ),
    )
    const recorded = content === undefined ? {} : { content: recordContent(journal, branch, request, content) }
    return service.request(request, recorded).pipe(
      Stream.tap((event) => {
        if (branch.isTransient(event)) return Effect.void
        inPieces = branch.isPiece(event)
        return write([event])
      }),
      Stream.onEnd(Effect.suspend(() => inPieces ? write([{ _tag: "StreamEnd", correlationId }]) : Effect.void)),
      Stream.tapCause((cause) => {
        if (!isOpen || Cause.hasInterruptsOnly(cause)) return Effect.void
        const fault = Cause.findErrorOption(cause)
        return Effect.ignore(write([
          Option.isSome(fault)
            ? fault.value
            : branch.makeFault(request, { kind: "Broken", what: "its service broke", cause }),
        ]))
      }),
    )
  })
  return Stream.unwrap(begin)
}

/**
 * Wraps a service so that each request, the content beside it and each event are in the journal of the context before
 * they have an effect or are seen. A request has the lease of this process: no daemon takes it, and one that finds the
 * process dead ends it.
 *
 * @example
 * ```ts
 * import { journalRequests, requestOne } from "@sluice/shell/branch"
 * import { HttpBranch, HttpFetch, MockFetch } from "@sluice/shell/fetch"
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const web = yield* journalRequests(HttpBranch, MockFetch.make([{ url: "*", text: "hello" }]))
 *   yield* requestOne(web, HttpFetch.make({ url: "https://example.org/" }))
 *   return (yield* Journal.read()).map(({ tag }) => tag).join()
 * })
 * const tags = await Effect.runPromise(Effect.provide(program, MemoryJournal.layer))
 * console.assert(tags === "HttpFetch,LeaseTaken,HttpResponse")
 * ```
 *
 * @stability experimental
 */
export const journalRequests = <Request extends Message, Event extends Message, Fault extends Message>(
  branch: ServiceBranch<Request, Event, Fault>,
  service: RequestService<Request, Event, Fault>,
): Effect.Effect<RequestService<Request, Event, Fault>, never, Journal> =>
  Effect.map(
    Effect.all([Journal, currentHost]),
    ([journal, host]) => ({ request: record(branch, service, journal, host) }),
  )
