/** Makes the layers of a branch whose service has one function. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assumeValidOptions } from "../base/attemptOptions.ts"
import type { OptionError } from "../base/OptionError.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { Journal } from "../journal/JournalService.ts"
import { answerOnce } from "./answerOnce.ts"
import type { ClientTimeouts } from "./Client.ts"
import type { DaemonBaseOptions } from "./DaemonOptions.ts"
import { journalRequests } from "./journalRequests.ts"
import { replayRequests } from "./replayRequests.ts"
import { requestDaemon } from "./requestDaemon.ts"
import { serveRequests } from "./serveRequests.ts"
import type { Message, RequestService, ServiceBranch } from "./ServiceBranch.ts"

/** The layers of a branch with a service of one function. */
export interface ServiceLayers<Self> {
  /** Runs a daemon that answers the requests of the journal with the service of the context. */
  readonly daemon: Layer.Layer<never, JournalError, Self | Journal>
  /** `daemon` with options. Fails with an `OptionError` for an invalid option. */
  readonly daemonWith: (options: DaemonBaseOptions) => Layer.Layer<never, JournalError | OptionError, Self | Journal>
  /** A service whose requests a daemon answers, in another process or on another machine. */
  readonly client: Layer.Layer<Self, never, Journal>
  /** `client` with options. Fails with an `OptionError` for an invalid option. */
  readonly clientWith: (options: ClientTimeouts) => Layer.Layer<Self, OptionError, Journal>
  /** The service of the context, with each request and its answer in the journal. */
  readonly journaled: Layer.Layer<Self, never, Self | Journal>
  /**
   * The service of the context, except that a request whose id has an answer in the journal gets that answer. Use it
   * around a leaf: with `client` each request would be appended twice, and refused.
   */
  readonly once: Layer.Layer<Self, never, Self | Journal>
  /** A service that answers requests with their recorded answers from the journal, without side effects. */
  readonly replay: Layer.Layer<Self, JournalError, Journal>
}

/**
 * Makes the layers of a branch.
 *
 * @example
 * ```ts
 * import { Fetch, HttpBranch, MockFetch } from "@sluice/shell/fetch"
 * import { serviceLayers } from "@sluice/shell/branch"
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Layer } from "effect"
 *
 * const { journaled } = serviceLayers(HttpBranch, Fetch)
 * const web = MockFetch.layer([{ url: "https://example.org/", text: "hello" }])
 * const layer = journaled.pipe(Layer.provide(web), Layer.provideMerge(MemoryJournal.layer))
 * const program = Effect.andThen(Fetch.text("https://example.org/"), Journal.read())
 * const entries = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(entries.map(({ tag }) => tag).join()) // HttpFetch,LeaseTaken,HttpResponse
 * ```
 */
export const serviceLayers = <Self, Request extends Message, Event extends Message, Fault extends Message>(
  branch: ServiceBranch<Request, Event, Fault>,
  service: Context.Key<Self, RequestService<Request, Event, Fault>>,
): ServiceLayers<Self> => {
  const serve = (options?: DaemonBaseOptions) =>
    Effect.flatMap(service, (leaf) => serveRequests(branch, leaf, options)).pipe(
      Effect.flatMap((daemon) => daemon.start),
    )
  // A service may have members besides its function, such as capabilities.
  const around = <R>(wrap: (leaf: RequestService<Request, Event, Fault>) => Effect.Effect<typeof leaf, never, R>) =>
    Layer.effect(service, Effect.flatMap(service, (leaf) => Effect.map(wrap(leaf), (one) => ({ ...leaf, ...one }))))
  return {
    daemon: Layer.effectDiscard(assumeValidOptions(serve())),
    daemonWith: (options) => Layer.effectDiscard(serve(options)),
    client: Layer.effect(service, assumeValidOptions(requestDaemon(branch))),
    clientWith: (options) => Layer.effect(service, requestDaemon(branch, options)),
    journaled: around((leaf) => journalRequests(branch, leaf)),
    once: around((leaf) => answerOnce(branch, leaf)),
    replay: Layer.effect(service, replayRequests(branch)),
  }
}
