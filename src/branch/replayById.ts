/** Makes a service that answers each request with the journaled answer to the same id. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Journal } from "../journal/JournalService.ts"
import { findDifference } from "./findDifference.ts"
import { detachContent } from "./requestContent.ts"
import { contentKey, findAnswer, recordedAnswer } from "./recordedAnswer.ts"
import type { Message, RequestService, ServiceBranch } from "./ServiceBranch.ts"

/** Options of {@link replayById}. */
export interface ReplayByIdOptions {
  /** The recorded id of a request. Default: its own id. */
  readonly recordedId?: ((correlationId: string) => string) | undefined
  /** Whether the recorded request must be the same. Default: `true`. */
  readonly isStrict?: boolean | undefined
}

/**
 * Makes a service that answers from the journal of the context, without side effects. It fails for an id without a
 * recorded answer, and for a request that differs from the recorded one, because the program has then taken a different
 * path.
 */
export const replayById = <Request extends Message, Event extends Message, Fault extends Message>(
  branch: ServiceBranch<Request, Event, Fault>,
  { isStrict = true, recordedId = (id) => id }: ReplayByIdOptions = {},
): Effect.Effect<RequestService<Request, Event, Fault>, never, Journal> =>
  Effect.map(Journal, (journal) => {
    // Properties derived from a redacted text may differ, such as its length and the places where it is cut.
    let isRedacted = false
    return {
      request: (given, options) => {
        const { content, request } = detachContent(branch, given, options)
        const id = recordedId(request.correlationId)
        const faultOf = (what: string): Fault => branch.makeFault(request, { kind: "Broken", what })
        const find = (skipsFaults: boolean) =>
          Effect.mapError(
            findAnswer(journal, branch, id, { skipsFaults }),
            ({ message }) => faultOf(`the journal failed: ${message}`),
          )
        return Stream.unwrap(Effect.gen(function* () {
          const answered = yield* find(true)
          const found = answered._tag === "Answered" ? answered : yield* find(false)
          if (found._tag !== "Answered") return yield* Effect.fail(faultOf(`the recording has no answer to ${id}`))
          const { body = null } = found
          const asked = branch.request.encode(request)
          isRedacted ||= body?.["redacted"] === true
          if (isStrict && !isRedacted && (body === null || contentKey(body) !== contentKey(asked))) {
            const place = findDifference(
              { ...body, correlationId: request.correlationId },
              { ...asked, correlationId: request.correlationId },
            )
            const where = place === undefined || body === null ? "" : `: it differs in ${place.slice(1)}`
            return yield* Effect.fail(faultOf(`the recording has another request as ${id}${where}`))
          }
          const recorded = { correlationId: id, position: found.position }
          return recordedAnswer(journal, branch, request, recorded, isStrict ? { content } : {})
        }))
      },
    }
  })
