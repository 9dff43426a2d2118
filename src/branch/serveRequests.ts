/** Makes the daemon that answers the requests of a journal with a service of one function. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { OptionError } from "../base/OptionError.ts"
import { Journal } from "../journal/JournalService.ts"
import { type Daemon, makeDaemon } from "./Daemon.ts"
import type { DaemonBaseOptions } from "./DaemonOptions.ts"
import { endWithFault } from "./endWithFault.ts"
import { readContent } from "./requestContent.ts"
import type { Message, RequestService, ServiceBranch, StreamEnd } from "./ServiceBranch.ts"

/**
 * Makes a daemon that answers the requests that other processes append to the journal of the context. It is `Stopped`
 * until it is started, and is shut down with its Scope. A request whose daemon is lost ends with a fault, unless the
 * branch declares that it may be answered again.
 *
 * @example
 * ```ts
 * import { requestDaemon, requestOne, serveRequests } from "@sluice/shell/branch"
 * import { HttpBranch, HttpFetch, MockFetch } from "@sluice/shell/fetch"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * // Both sides in one process; with a journal in a file or a database, each may be on another machine.
 * const program = Effect.gen(function* () {
 *   const daemon = yield* serveRequests(HttpBranch, MockFetch.make([{ url: "*", text: "hello" }]))
 *   yield* daemon.start
 *   const web = yield* requestDaemon(HttpBranch)
 *   return yield* requestOne(web, HttpFetch.make({ url: "https://example.org/" }))
 * })
 * const response = await Effect.runPromise(Effect.scoped(Effect.provide(program, MemoryJournal.layer)))
 * console.log(response.status) // 200
 * ```
 */
export const serveRequests = <Request extends Message, Event extends Message, Fault extends Message>(
  branch: ServiceBranch<Request, Event, Fault>,
  service: RequestService<Request, Event, Fault>,
  options: DaemonBaseOptions = {},
): Effect.Effect<Daemon, OptionError, Journal | Scope.Scope> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    return yield* makeDaemon<Request, Event | Fault | StreamEnd, Fault>(branch, {
      ...options,
      handle: (request) => {
        const { content } = branch
        const beside = content?.hasContent(request) === true
          ? { content: readContent({ journal, branch, codec: content }, request.correlationId) }
          : {}
        let inPieces = false
        const end: StreamEnd = { _tag: "StreamEnd", correlationId: request.correlationId }
        return service.request(request, beside).pipe(
          Stream.filter((event) => !branch.isTransient(event)),
          Stream.tap((event) => Effect.sync(() => void (inPieces = branch.isPiece(event)))),
          Stream.concat(Stream.suspend(() => inPieces ? Stream.succeed(end) : Stream.empty)),
          Stream.catchCause((cause) => {
            const fault = Cause.findErrorOption(cause)
            return Option.isSome(fault) ? Stream.succeed(fault.value) : Stream.failCause(cause)
          }),
        )
      },
      makeLastEvent: endWithFault(branch),
      canRerun: branch.canRerun,
    })
  })
