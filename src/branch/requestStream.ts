/** Appends a request to the journal unless its id is open, and streams its events across outages. */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Entry, Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { type AttemptEvent, type ClientSettings, PendingRequest } from "./PendingRequest.ts"
import { draftRequest } from "./BranchDefinition.ts"
import { isConflict, isTransient } from "./LeaseHolder.ts"
import { RequestOpenError } from "./RequestOpenError.ts"
import { endIfUnanswered } from "./endIfUnanswered.ts"

export type { AttemptEvent } from "./PendingRequest.ts"

/** Settings of one request that are not part of it. */
export interface RequestOptions {
  /** Cancels the request when it completes; its value is the requester, for the last event. Default: never. */
  readonly cancel?: Effect.Effect<string | undefined> | undefined
}

const maxTries = 10

const retryDelay = "500 millis"

const maxFailures = 60

const isFilled = <A>(items: ReadonlyArray<A>): items is Arr.NonEmptyReadonlyArray<A> => items.length > 0

const appendRequest = <Request, Event>(
  { branch, journal }: ClientSettings<Request, Event>,
  request: Request,
): Effect.Effect<Position, JournalError | RequestOpenError> =>
  Effect.gen(function* () {
    const draft = draftRequest(branch, request)
    const { correlationId } = draft
    const requests = { branch: branch.name, correlationId, tags: branch.request.tags }
    const both = { ...requests, tags: [...branch.request.tags, ...branch.lastTags] }
    let after: Position = 0
    let position: Position = 0
    for (let tries = 0; tries < maxTries; tries++) {
      const appended = yield* Effect.result(journal.append([draft], { condition: { after, noneOf: requests } }))
      if (Result.isSuccess(appended)) return appended.success.at(-1) ?? 0
      if (!isConflict(appended.failure)) return yield* Effect.fail(appended.failure)
      // The id was used before, which is allowed if that request has ended.
      const [newest] = yield* journal.readBackward({ filter: both, maxEntries: 1 })
      position = newest?.position ?? position
      if (newest !== undefined && branch.request.tags.includes(newest.tag)) break
      after = position
    }
    return yield* Effect.fail(RequestOpenError.at(correlationId, position))
  })

const cancelRequest = <Request, Event>(
  asked: PendingRequest<Request, Event>,
  position: Position,
  by: string | undefined,
): Effect.Effect<void, JournalError> =>
  Effect.gen(function* () {
    if (asked.isOver || asked.isCancelled) return
    const alone = asked.lease === undefined && (yield* asked.withdraw(position, { _tag: "Cancelled", by }))
    if (!alone) yield* asked.requestCancel(by)
    asked.isCancelled = true
  })

/** Cancels the request when its stream is closed, and waits for its end, at most `closeTimeout`. */
const close = <Request, Event>(
  { branch, closeTimeout, journal }: ClientSettings<Request, Event>,
  request: Request,
  asked: PendingRequest<Request, Event>,
  position: Position,
): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (asked.isOver) return Effect.void
    const correlationId = branch.correlationOf(request)
    const filter = { branch: branch.name, correlationId, tags: branch.lastTags }
    return cancelRequest(asked, position, "consumer").pipe(
      Effect.andThen(journal.waitFor({ after: asked.cursor, filter })),
      Effect.timeoutOption(closeTimeout(request)),
      Effect.catch((error) =>
        Effect.logWarning(`branch ${branch.name}: ${correlationId} could not be cancelled: ${error.message}`)
      ),
      Effect.asVoid,
    )
  })

export const requestStream = <Request, Event>(
  settings: ClientSettings<Request, Event>,
  request: Request,
  { cancel }: RequestOptions = {},
): Stream.Stream<AttemptEvent<Event>, JournalError | RequestOpenError> => {
  const { branch, journal } = settings
  const filter = { branch: branch.name, correlationId: branch.correlationOf(request) }

  const start = (scope: Scope.Scope) =>
    Effect.gen(function* () {
      const position = yield* appendRequest(settings, request)
      const asked = new PendingRequest(settings, request, position)
      yield* Scope.addFinalizer(scope, close(settings, request, asked, position))
      const beside = (work: Effect.Effect<void, JournalError>) =>
        Effect.forkIn(
          Effect.retry(work, { schedule: Schedule.spaced(retryDelay), while: isTransient }).pipe(
            Effect.catch((error) =>
              Effect.logWarning(
                `branch ${branch.name}: ${filter.correlationId} is no longer watched, and cannot be ended by its client: ${error.message}`,
              )
            ),
          ),
          scope,
        )
      yield* beside(endIfUnanswered(settings, asked, position))
      if (cancel !== undefined) yield* beside(Effect.flatMap(cancel, (by) => cancelRequest(asked, position, by)))

      let failures = 0
      const follow = (): Stream.Stream<Entry, JournalError> =>
        Stream.suspend(() => journal.tail({ after: asked.cursor, filter })).pipe(
          Stream.catchIf(
            (error) => isTransient(error) && failures++ < maxFailures,
            () => Stream.unwrap(Effect.as(Effect.sleep(retryDelay), follow())),
          ),
        )
      const entries = yield* Channel.toPullScoped(follow().channel, scope)
      const next: Pull.Pull<Arr.NonEmptyReadonlyArray<AttemptEvent<Event>>, JournalError> = Effect.suspend(() =>
        asked.isOver ? Cause.done() : Effect.flatMap(entries, (some) => {
          failures = 0
          const seen = asked.receive(some)
          if (Result.isFailure(seen)) return Effect.fail(seen.failure)
          return isFilled(seen.success) ? Effect.succeed(seen.success) : next
        })
      )
      return next
    })
  return Stream.fromChannel(Channel.fromTransform((_, scope) => Effect.uninterruptible(start(scope))))
}
