/**
 * Finds the answer that a journal has for the id of a request, and streams it again.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { canonicalJson } from "../base/canonicalJson.ts"
import type { Body, Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { decodeEventEntry } from "./BranchDefinition.ts"
import type { Message, ServiceBranch } from "./ServiceBranch.ts"

/** A request without its id: what two runs of one program have in common. */
export const contentKey = (body: Body): string => {
  const { correlationId: _, ...rest } = body
  return canonicalJson(rest)
}

/** What a journal has of an id. `position` is that of the request, and `body` is its content. */
export type RecordedState =
  | { readonly _tag: "Answered" | "Faulted" | "Begun"; readonly position: Position; readonly body: Body | undefined }
  | { readonly _tag: "Unknown" }

/**
 * Finds the request with an id, which was made last among those that were answered, else that was made last.
 * `skipsFaults`: a fault is no answer; one that came last is told by `Faulted`.
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
      journal.readBackward({ filter: { branch: branch.name, correlationId, tags }, limit: 1, before })
    const tags = skipsFaults ? branch.lastTags.filter((tag) => !branch.faultTags.includes(tag)) : branch.lastTags
    const [end] = yield* newest(tags)
    const [request] = yield* newest(branch.request.tags, end?.position)
    if (request === undefined) return { _tag: "Unknown" }
    const { body, position } = request
    if (end !== undefined) return { _tag: "Answered", position, body }
    const [fault] = skipsFaults ? yield* newest(branch.faultTags) : []
    return { _tag: fault !== undefined && fault.position > position ? "Faulted" : "Begun", position, body }
  })

/** The recorded answer to a request, whose id was `id`, in the entries after a position. Its events get the id of the request. */
export const recordedAnswer = <Request extends Message, Event extends Message, Fault extends Message>(
  journal: JournalService,
  branch: ServiceBranch<Request, Event, Fault>,
  request: Request,
  id: string,
  from: Position = 0,
): Stream.Stream<Event, Fault> => {
  const failed = (what: string): Fault => branch.makeFault(request, { kind: "Broken", what })
  const filter = { branch: branch.name, correlationId: id, tags: branch.event.tags }
  let after = from
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
