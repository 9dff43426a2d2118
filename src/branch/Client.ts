/** Makes the client of a branch. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { type DurationInput, durationOf, millisOf } from "../base/duration.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import type { OptionError } from "../base/OptionError.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal } from "../journal/JournalService.ts"
import { type AttemptEvent, type RequestOptions, requestStream } from "./requestStream.ts"
import type { Branch } from "./BranchDefinition.ts"
import type { MakeLastEvent } from "./EndCause.ts"
import type { ClientSettings } from "./PendingRequest.ts"
import { currentHost } from "./HostIdentity.ts"
import type { RequestOpenError } from "./RequestOpenError.ts"

/** Timeouts of a client: how long it waits for daemons. */
export interface ClientTimeouts {
  /**
   * Longest time without a sign of any daemon while a request has none, and without a sign of the daemon that has it, after
   * its lease has run out, while no other takes it over. Then the client ends the request itself, and no daemon runs it
   * any more. A daemon that is busy shows that it lives. `Infinity` waits for ever. Default: 30 s.
   */
  readonly acceptTimeout?: DurationInput | undefined
  /** Maximum time until a daemon takes a request, even if daemons give signs; then as above. Default: no limit. */
  readonly queueTimeout?: DurationInput | undefined
}

/** Options of a client: timeouts, and the last event of a request that it ends itself. */
export interface ClientOptions<Request, Event> extends ClientTimeouts {
  readonly makeLastEvent: MakeLastEvent<Request, Event, never>
  /**
   * Maximum time that a stream closed before its end waits for the last event, so that the request has ended when
   * closing returns. Default: 10 s.
   */
  readonly closeTimeout?: ((request: Request) => DurationInput) | undefined
}

/** A client of a branch: sends requests through the journal. */
export interface Client<Request, Event> {
  /**
   * Appends a request and follows its events; the last event is the last element. It fails when a request with this
   * correlation id is open, and when the journal cannot be written, or read.
   *
   * When the stream is closed before the last event, the request is withdrawn: at once if no daemon has it, otherwise
   * by a `CancelRequested`, after which the client waits for the last event, at most `closeTimeout`.
   */
  readonly request: (
    request: Request,
    options?: RequestOptions,
  ) => Stream.Stream<AttemptEvent<Event>, JournalError | RequestOpenError>
}

/**
 * Makes a client of a branch: see `makeDaemon` for an example of both sides.
 *
 * @example
 * ```ts
 * import { Branch } from "@sluice/shell/branch"
 * import { ComputeBranch } from "@sluice/shell/daemon"
 * import { ShellExec, ShellFault } from "@sluice/shell"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const client = yield* Branch.makeClient(ComputeBranch, {
 *     acceptTimeout: "20 millis",
 *     makeLastEvent: ({ commandId }) =>
 *       Effect.succeed(ShellFault.because(commandId, { _tag: "Unknown", code: "ELOST" }, "exec: no daemon took it")),
 *   })
 *   return yield* Stream.runCollect(client.request(ShellExec.make("make")))
 * })
 * // No daemon serves this journal, so the client ends the request itself.
 * const [answer] = await Effect.runPromise(Effect.provide(program, MemoryJournal.layer))
 * console.log(answer?.event._tag) // ShellFault
 * ```
 */
export const makeClient = <Request, Event>(
  branch: Branch<Request, Event>,
  options: ClientOptions<Request, Event>,
): Effect.Effect<Client<Request, Event>, OptionError, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const host = yield* currentHost
    const { acceptTimeout = "30 seconds", closeTimeout, queueTimeout = Duration.infinity, makeLastEvent } = options
    const settings = yield* attemptOptions((): ClientSettings<Request, Event> => ({
      id: `client-${crypto.randomUUID()}`,
      host,
      journal,
      branch,
      makeLastEvent,
      acceptMillis: Math.max(1, millisOf("acceptTimeout", acceptTimeout)),
      queueMillis: millisOf("queueTimeout", queueTimeout),
      closeTimeout: (request: Request) => durationOf("closeTimeout", closeTimeout?.(request) ?? "10 seconds"),
    }))
    return { request: (request, requestOptions) => requestStream(settings, request, requestOptions) }
  })
