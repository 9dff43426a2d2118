/** Sends a request to a service and returns its single event. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { inSpan } from "../base/inSpan.ts"
import type { Message, RequestContent, RequestService } from "./ServiceBranch.ts"

/**
 * Makes a request whose answer is one event.
 *
 * @example
 * ```ts
 * import { requestOne } from "@sluice/shell/branch"
 * import { Fetch, HttpFetch, MockFetch } from "@sluice/shell/fetch"
 * import { Effect } from "effect"
 *
 * const program = Effect.flatMap(Fetch, (web) => requestOne(web, HttpFetch.make({ url: "https://example.org/" })))
 * const web = MockFetch.layer([{ url: "https://example.org/", text: "hello" }])
 * console.log((await Effect.runPromise(Effect.provide(program, web))).status) // 200
 * ```
 */
export const requestOne = <Request extends Message, Event extends Message, Fault extends Message>(
  service: RequestService<Request, Event, Fault>,
  request: Request,
  options?: RequestContent,
): Effect.Effect<Event, Fault> =>
  inSpan(
    Effect.flatMap(
      Stream.runHead(service.request(request, options)),
      Option.match({
        onNone: () => Effect.die(new Error(`${request._tag} was answered with nothing`)),
        onSome: (event) => Effect.succeed(event),
      }),
    ),
    request._tag,
    {},
  )
