/** Makes a service of one function whose requests are appended to a journal and answered by a daemon. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { errorMessage } from "../base/errorMessage.ts"
import type { OptionError } from "../base/OptionError.ts"
import { JournalError } from "../journal/JournalError.ts"
import { Journal } from "../journal/JournalService.ts"
import { type ClientTimeouts, makeClient } from "./Client.ts"
import { endWithFault } from "./endWithFault.ts"
import { isConflict } from "./LeaseHolder.ts"
import { appendContent, detachContent } from "./requestContent.ts"
import type { RequestOpenError } from "./RequestOpenError.ts"
import type { Message, RequestFailure, RequestService, ServiceBranch } from "./ServiceBranch.ts"

const contentFailure = (error: unknown): RequestFailure => {
  if (!(error instanceof JournalError)) {
    return { kind: "Broken", what: `nothing was done: its content failed: ${errorMessage(error)}` }
  }
  return isConflict(error)
    ? { kind: "AlreadyOpen", what: "nothing was done: this id has content already; send it under another id" }
    : { kind: "JournalFailed", what: `nothing was done: the journal failed: ${error.message}` }
}

/**
 * Makes a service whose requests are appended to the journal of the context, and answered by a daemon that
 * {@link serveRequests} made, in another process or on another machine. Closing a stream cancels its request.
 *
 * @example
 * ```ts
 * import { requestDaemon, requestOne } from "@sluice/shell/branch"
 * import { HttpBranch, HttpFetch } from "@sluice/shell/fetch"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const web = yield* requestDaemon(HttpBranch, { acceptTimeout: "50 millis" })
 *   return yield* Effect.flip(requestOne(web, HttpFetch.make({ url: "https://example.org/" })))
 * })
 * // No daemon is there.
 * console.log((await Effect.runPromise(Effect.provide(program, MemoryJournal.layer))).faultKind) // Timeout
 * ```
 */
export const requestDaemon = <Request extends Message, Event extends Message, Fault extends Message>(
  branch: ServiceBranch<Request, Event, Fault>,
  options: ClientTimeouts = {},
): Effect.Effect<RequestService<Request, Event, Fault>, OptionError, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const client = yield* makeClient(branch, { ...options, makeLastEvent: endWithFault(branch) })

    const failed = (request: Request, error: JournalError | RequestOpenError): Fault =>
      branch.makeFault(
        request,
        error._tag === "JournalError"
          ? { kind: "JournalFailed", what: `the journal failed: ${error.message}` }
          : { kind: "AlreadyOpen", what: "a request with this id is open already" },
      )

    const answers = (request: Request): Stream.Stream<Event, Fault> => {
      let attempt = 0
      return client.request(request).pipe(
        Stream.mapError((error) => failed(request, error)),
        Stream.mapEffect(({ attempt: now, event }) => {
          if (branch.isFault(event)) return Effect.fail(event)
          // Pieces of a lost run were already passed on, and cannot be taken back.
          if (attempt !== 0 && now !== attempt) {
            return Effect.fail(
              branch.makeFault(request, {
                kind: "HostLost",
                what: "the daemon was lost before it finished its answer",
              }),
            )
          }
          if (!branch.isStreamEnd(event)) attempt = now
          return Effect.succeed(event)
        }),
        Stream.filter((event): event is Exclude<typeof event, { _tag: "StreamEnd" }> => !branch.isStreamEnd(event)),
      )
    }

    return {
      request: (given, options) => {
        const { content, request } = detachContent(branch, given, options)
        const codec = branch.content
        if (codec === undefined || content === undefined || !codec.hasContent(request)) return answers(request)
        const { correlationId } = request
        // Content of an earlier request with this id would be taken for a part of this one.
        const condition = { after: 0, noneOf: { branch: branch.name, correlationId, tags: [codec.tag] } }
        return Stream.runDrain(appendContent({ journal, branch, codec }, request, content, { first: { condition } }))
          .pipe(
            Effect.mapError((error) => branch.makeFault(request, contentFailure(error))),
            Effect.as(answers(request)),
            Stream.unwrap,
          )
      },
    }
  })
