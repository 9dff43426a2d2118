/** Wraps a service of one function so that each request, its content and its answer are appended to a journal. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type GivenSecret, GivenSecrets } from "../command/GivenSecrets.ts"
import type { Draft, Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { type AppendCondition, Journal, type JournalService } from "../journal/JournalService.ts"
import * as Redactor from "../journal/redaction/Redactor.ts"
import { redactorOf } from "../journal/redaction/RememberedSecrets.ts"
import { draftEvent, draftRequest } from "./BranchDefinition.ts"
import { draftOwnLease } from "./BranchEntry.ts"
import { journalFailedText, unansweredText } from "./endWithFault.ts"
import { currentHost, type HostIdentity } from "./HostIdentity.ts"
import { isConflict, isIndeterminate, LeaseHolder } from "./LeaseHolder.ts"
import { type LeaseLoss, ownLeaseMillis, renewOwnLease } from "./ownLease.ts"
import { type BodyRedaction, redactBodies } from "./redactBodies.ts"
import { appendContent, detachContent } from "./requestContent.ts"
import type { Message, RequestContent, RequestFailure, RequestService, ServiceBranch } from "./ServiceBranch.ts"

/** A service whose requests are journaled. */
interface RequestRecorder<Request extends Message, Event extends Message, Fault extends Message> {
  readonly branch: ServiceBranch<Request, Event, Fault>
  readonly service: RequestService<Request, Event, Fault>
  readonly journal: JournalService
  readonly host: HostIdentity
}

/** Options of {@link recordRequest} for the beginning of a request. */
export interface Beginning {
  /** Holds if the request may begin. Default: it may. */
  readonly condition?: AppendCondition | undefined
  /** Whether a process that cannot see this one may take the request over when it gives no sign. Default: none may. */
  readonly isRenewed?: boolean | undefined
  /** Called with the position of its lease. */
  readonly onLease?: ((position: Position) => void) | undefined
}

/** The condition that no other request with an id comes after a position; nor its end, if it was begun there. */
export const unlessBegun = (
  branch: { readonly name: string; readonly request: { readonly tags: ReadonlyArray<string> } },
  correlationId: string,
  after: Position,
  lastTags: ReadonlyArray<string> = [],
): AppendCondition => ({
  after,
  noneOf: { branch: branch.name, correlationId, tags: [...branch.request.tags, ...lastTags] },
})

const lossOf = (loss: LeaseLoss): RequestFailure =>
  loss === "taken"
    ? {
      kind: "AlreadyOpen",
      what: "it was stopped: another process has taken it over, as this one gave no sign in time",
    }
    : { kind: "JournalFailed", what: "it was stopped: the journal did not answer in time to renew its lease" }

/** Makes a request and journals it. */
export const recordRequest = <Request extends Message, Event extends Message, Fault extends Message>(
  { branch, host, journal, service }: RequestRecorder<Request, Event, Fault>,
  whole: Request,
  options: RequestContent = {},
  { condition, isRenewed = false, onLease }: Beginning = {},
): Stream.Stream<Event, Fault> => {
  const { content, request } = detachContent(branch, whole, options)
  const { correlationId } = request
  const asked = redactBodies(branch, redactorOf(journal))
  let answered = asked
  const given: Array<GivenSecret> = []
  const redacted = (draft: Draft, redact: BodyRedaction): Draft => ({ ...draft, body: redact(draft.body) })
  const refused = (error: JournalError): Fault =>
    branch.makeFault(
      request,
      isConflict(error)
        ? { kind: "AlreadyOpen", what: "nothing was done: another request with this id is in progress" }
        : { kind: "JournalFailed", what: `nothing was done: the journal failed: ${error.message}` },
    )
  const failed = (error: JournalError): Fault =>
    branch.makeFault(request, { kind: "JournalFailed", what: journalFailedText(error) })
  const lost = (loss: LeaseLoss): Effect.Effect<never, Fault> =>
    Effect.failSync(() => branch.makeFault(request, lossOf(loss)))
  const daemonId = isRenewed ? `in-process-${crypto.randomUUID()}` : "in-process"
  let holder: LeaseHolder | undefined
  let inPieces = false
  let isOpen = false
  const write = (events: ReadonlyArray<Parameters<typeof branch.isLast>[0]>): Effect.Effect<void, Fault> =>
    Effect.uninterruptible(Effect.suspend(() => {
      if (events.some(branch.isLast)) isOpen = false
      const drafts = events.map((event) => redacted(draftEvent(branch, event), answered))
      const appended = holder === undefined ? Effect.as(journal.append(drafts), true) : holder.append(drafts)
      return appended.pipe(
        // If the journal refuses an end as too long, a fault that reports this replaces it.
        Effect.tapError((error) => Effect.sync(() => void (isOpen ||= !isIndeterminate(error)))),
        Effect.mapError(failed),
        Effect.flatMap((isHeld) => isHeld ? Effect.void : lost("taken")),
      )
    }))
  const begin = Effect.gen(function* () {
    yield* Effect.addFinalizer(() =>
      isOpen
        ? Effect.ignore(write([branch.makeFault(request, { kind: "Cancelled", what: "it was cancelled (consumer)" })]))
        : Effect.void
    )
    const lease = draftOwnLease(branch, request, host, daemonId, isRenewed ? ownLeaseMillis : null)
    const position = yield* Effect.uninterruptible(
      journal.append([redacted(draftRequest(branch, request), asked), lease], { condition }).pipe(
        Effect.mapError(refused),
        Effect.map((positions) => {
          isOpen = true
          return positions.at(-1) ?? 0
        }),
      ),
    )
    onLease?.(position)
    const target = { branch, correlationId, journal }
    if (isRenewed) holder = new LeaseHolder(target, position)
    const loss = isRenewed ? yield* renewOwnLease(target, { daemonId, position }) : undefined
    const untilLost = (events: Stream.Stream<Event, Fault>): Stream.Stream<Event, Fault> =>
      loss === undefined
        ? events
        : Stream.transformPull(events, (pull) => Effect.succeed(Effect.raceFirst(pull, Effect.flatMap(loss, lost))))
    const recorded = content === undefined || branch.content === undefined
      ? { content }
      : { content: appendContent({ journal, branch, codec: branch.content }, request, content, { redact: asked }) }
    const outer = yield* GivenSecrets
    return untilLost(service.request(request, recorded)).pipe(
      Stream.provideService(GivenSecrets, (secret) => {
        given.push(secret)
        journal.remembered?.add(secret)
        answered = redactBodies(branch, Redactor.combine(Redactor.secrets(given), redactorOf(journal) ?? Redactor.none))
        outer(secret)
      }),
      Stream.tap((event) => {
        if (branch.isTransient(event)) return Effect.void
        inPieces = branch.isPiece(event)
        return write([event])
      }),
      Stream.takeUntil(branch.isLast),
      Stream.onEnd(Effect.suspend((): Effect.Effect<void, Fault> => {
        if (!isOpen) return Effect.void
        return inPieces
          ? write([{ _tag: "StreamEnd", correlationId }])
          : Effect.fail(branch.makeFault(request, { kind: "Broken", what: unansweredText }))
      })),
      Stream.tapCause((cause) => {
        if (!isOpen || Cause.hasInterruptsOnly(cause)) return Effect.void
        const found = Cause.findErrorOption(cause)
        const fault = Option.isSome(found)
          ? found.value
          : branch.makeFault(request, { kind: "Broken", what: "its service broke", cause })
        return write([fault]).pipe(
          Effect.catch((refusal) => isOpen ? write([refusal]) : Effect.void),
          Effect.ignore,
        )
      }),
    )
  })
  return Stream.unwrap(begin)
}

/**
 * Wraps a service so that each request, its content and each event are in the journal of the context before they take
 * effect or are delivered. A request is under a lease of this process: no daemon takes it, and a daemon that finds the
 * process dead ends it. Matches of the journal's redactor, and secrets that the service reads by references, are not
 * stored; callers receive both.
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
 * console.log(tags) // HttpFetch,LeaseTaken,HttpResponse
 * ```
 */
export const journalRequests = <Request extends Message, Event extends Message, Fault extends Message>(
  branch: ServiceBranch<Request, Event, Fault>,
  service: RequestService<Request, Event, Fault>,
): Effect.Effect<RequestService<Request, Event, Fault>, never, Journal> =>
  Effect.map(
    Effect.all([Journal, currentHost]),
    ([journal, host]) => ({
      request: (request, options) => recordRequest({ branch, service, journal, host }, request, options),
    }),
  )
