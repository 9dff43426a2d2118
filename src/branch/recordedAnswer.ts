/** Finds the journaled answer to a request id, and streams it again. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { canonicalJson } from "../base/canonicalJson.ts"
import { errorMessage } from "../base/errorMessage.ts"
import type { Body, Entry, Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { decodeEventEntry } from "./BranchDefinition.ts"
import { newestLease } from "./newestLease.ts"
import { isRecordedContent } from "./requestContent.ts"
import type { Message, RequestContent, ServiceBranch } from "./ServiceBranch.ts"

/** A request without its id, as text: equal for the same request of two runs of one program. */
export const contentKey = (body: Body): string => {
  const { correlationId: _, redacted: __, ...rest } = body
  return canonicalJson(rest)
}

/** A recorded request. `position` is its position, and `body` its content. */
export type RecordedState =
  | { readonly _tag: "Answered" | "Faulted" | "Begun"; readonly position: Position; readonly body: Body | undefined }
  | { readonly _tag: "Unknown" }

/**
 * Finds the newest answered request with an id; if none was answered, the newest one. With `skipsFaults` a fault is no
 * answer: a request that ended with one is `Faulted`.
 */
export const findAnswer = (
  journal: JournalService,
  branch: {
    readonly name: string
    readonly request: { readonly tags: ReadonlyArray<string> }
    readonly lastTags: ReadonlyArray<string>
    readonly faultTags: ReadonlyArray<string>
  },
  correlationId: string,
  { skipsFaults }: { readonly skipsFaults: boolean },
): Effect.Effect<RecordedState, JournalError> =>
  Effect.gen(function* () {
    const newest = (tags: ReadonlyArray<string>, before?: Position) =>
      journal.readBackward({ filter: { branch: branch.name, correlationId, tags }, maxEntries: 1, before })
    const tags = skipsFaults ? branch.lastTags.filter((tag) => !branch.faultTags.includes(tag)) : branch.lastTags
    const [end] = yield* newest(tags)
    const [request] = yield* newest(branch.request.tags, end?.position)
    if (request === undefined) return { _tag: "Unknown" }
    const { body, position } = request
    if (end !== undefined) return { _tag: "Answered", position, body }
    const [fault] = skipsFaults ? yield* newest(branch.faultTags) : []
    return { _tag: fault !== undefined && fault.position > position ? "Faulted" : "Begun", position, body }
  })

const renamed = (entry: Entry, correlationId: string): Entry =>
  entry.body === undefined ? entry : { ...entry, correlationId, body: { ...entry.body, correlationId } }

/**
 * The recorded answer to the request with an id at a position: its events get the id of `request`. For a request that
 * was run again after its daemon was lost, the last run. The content of the request is read, compared with the recorded
 * content, and not kept.
 */
export const recordedAnswer = <Request extends Message, Event extends Message, Fault extends Message>(
  journal: JournalService,
  branch: ServiceBranch<Request, Event, Fault>,
  request: Request,
  { correlationId, position }: { readonly correlationId: string; readonly position: Position },
  { content }: RequestContent = {},
): Stream.Stream<Event, Fault> => {
  const failed = (what: string): Fault => branch.makeFault(request, { kind: "Broken", what })
  const orFail = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A, Fault> =>
    Effect.mapError(effect, (error) => failed(errorMessage(error)))
  const filter = (tags: ReadonlyArray<string>) => ({ branch: branch.name, correlationId, tags })
  const nothing: ReadonlyArray<Event> = []
  const events = (first: Position): Stream.Stream<Event, Fault> =>
    Stream.paginate(first, (after) =>
      Effect.gen(function* () {
        const [entry] = yield* orFail(journal.read({ after, filter: filter(branch.event.tags), maxEntries: 1 }))
        if (entry === undefined) return yield* Effect.fail(failed("its recording has no end"))
        const event = decodeEventEntry(branch, renamed(entry, request.correlationId))
        if (event === undefined || Result.isFailure(event)) {
          return yield* Effect.fail(failed(`entry ${entry.position} of its recording cannot be read`))
        }
        if (branch.isFault(event.success)) return yield* Effect.fail(event.success)
        if (branch.isStreamEnd(event.success)) return [nothing, Option.none<Position>()] as const
        const again = branch.isPiece(event.success) ? Option.some(entry.position) : Option.none<Position>()
        return [[event.success], again] as const
      }))
  return Stream.unwrap(Effect.gen(function* () {
    const [end] = yield* orFail(journal.read({ after: position, filter: filter(branch.lastTags), maxEntries: 1 }))
    if (end === undefined) return yield* Effect.fail(failed("its recording has no end"))
    if (content !== undefined && branch.content !== undefined) {
      const isSame = yield* orFail(
        isRecordedContent({ journal, branch, codec: branch.content }, correlationId, end.position, content),
      )
      if (!isSame) return yield* Effect.fail(failed("the recording has different content for this request"))
    }
    const lease = yield* orFail(newestLease(journal, branch, correlationId, { after: position, before: end.position }))
    return events(lease?.position ?? position)
  }))
}
