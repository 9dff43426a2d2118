/** Runs one request under its lease and appends its events up to exactly one last event. */
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { completeLater } from "../base/waits.ts"
import type { Draft } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { CancelRequested } from "./BranchEntry.ts"
import { type Branch, draftEvent } from "./BranchDefinition.ts"
import type { EndCause, MakeLastEvent } from "./EndCause.ts"
import { EventWriter } from "./EventWriter.ts"
import type { LeaseHolder } from "./LeaseHolder.ts"

/** Context of one run, for the handler of the request. */
export interface RunContext {
  /** The number of this run, from 1. */
  readonly attempt: number
  /** Completes when the run is cancelled. A service that observes it emits its last event soon. */
  readonly cancelled: Effect.Effect<CancelRequested>
  /** Completes when the run is cancelled with force, also after an earlier cancellation. */
  readonly forced: Effect.Effect<void>
}

export interface RequestHandler<Request, Event, E> {
  readonly branch: Branch<Request, Event>
  readonly handle: (request: Request, run: RunContext) => Stream.Stream<Event, E>
  readonly makeLastEvent: MakeLastEvent<Request, Event, E>
  readonly cancelGrace: (request: Request) => Duration.Duration
}

/** Reason why a run was stopped: another daemon has its lease, or the journal could not be reached until it expired. */
type Over = "lost" | "expired"

/** Outcome of a run: its last event was written, there was none, or the journal refused an event. */
type Followed = "ended" | "unfinished" | "refused"

export class RequestExecution<Request, Event, E> {
  readonly #handler: RequestHandler<Request, Event, E>
  readonly #request: Request
  readonly #attempt: number
  readonly #writer: EventWriter
  readonly #daemonScope: Scope.Scope
  readonly #scope = Scope.makeUnsafe()
  readonly #cancelled = Deferred.makeUnsafe<CancelRequested>()
  readonly #forced = Deferred.makeUnsafe<void>()
  #cancel: CancelRequested | undefined
  #over: Over | undefined
  #fiber: Fiber.Fiber<Followed, E> | undefined

  /** `daemonScope` is the scope of its fibers. */
  constructor(
    handler: RequestHandler<Request, Event, E>,
    request: Request,
    attempt: number,
    holder: LeaseHolder,
    daemonScope: Scope.Scope,
  ) {
    this.#handler = handler
    this.#request = request
    this.#attempt = attempt
    this.#writer = new EventWriter(holder, this.#name)
    this.#daemonScope = daemonScope
  }

  readonly run: Effect.Effect<void> = Effect.suspend(() => {
    const { handle } = this.#handler
    const context: RunContext = {
      attempt: this.#attempt,
      cancelled: Deferred.await(this.#cancelled),
      forced: Deferred.await(this.#forced),
    }
    if (this.#writer.lost) return Effect.void
    const before = this.#endingBefore()
    if (before !== undefined) return this.end(before)
    const events = Effect.suspend(() => this.#follow(handle(this.#request, context)))
    return Effect.gen({ self: this }, function* () {
      this.#fiber = yield* Effect.forkIn(events, this.#daemonScope)
      const exit = yield* Fiber.await(this.#fiber)
      yield* Scope.close(this.#scope, Exit.void)
      const ending = this.#endingOf(exit)
      if (ending !== undefined) yield* this.end(ending)
    })
  })

  /** Appends the last event for a cause, with retries for as long as the lease is held. */
  end(ending: EndCause<E>): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const refused = yield* this.#writer.write(yield* this.#last(ending), { last: true, untilLeaseLost: true })
      if (refused === undefined) return
      // A refused event is refused again: append a smaller one.
      const smaller = yield* this.#last({ _tag: "JournalFailed", error: refused })
      const again = yield* this.#writer.write(smaller, { last: true, untilLeaseLost: true })
      if (again !== undefined) yield* Effect.logError(`${this.#name} has no last event: ${again.message}`)
    })
  }

  /** Cancels the run: the service has its grace period for the last event, and is then interrupted. */
  cancel(requested: CancelRequested): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (requested.force === true) completeLater(this.#forced, Effect.void)
      if (this.#cancel !== undefined) return Effect.void
      this.#cancel = requested
      completeLater(this.#cancelled, Effect.succeed(requested))
      const grace = this.#handler.cancelGrace(this.#request)
      const force = Effect.sync(() => this.#fiber?.interruptUnsafe())
      return Effect.forkIn(Effect.andThen(Effect.sleep(grace), force), this.#scope)
    })
  }

  /** Stops the run because another daemon has the lease: nothing more is appended. */
  readonly lose: Effect.Effect<void> = Effect.suspend(() => {
    this.#writer.lost = true
    return this.#stop("lost")
  })

  /** Stops the run because the lease could not be renewed in time, whatever the run waits for. */
  expire(error: JournalError): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#writer.failure = error
      return this.#stop("expired")
    })
  }

  get #name(): string {
    const { branch } = this.#handler
    return `branch ${branch.name}: ${branch.correlationOf(this.#request)}`
  }

  #stop(over: Over): Effect.Effect<void> {
    if (this.#over !== undefined) {
      this.#over = over
      return Effect.void
    }
    this.#over = over
    this.#fiber?.interruptUnsafe()
    // Not done by the fiber, which may hang in an append.
    const close = Effect.forkIn(Scope.close(this.#scope, Exit.void), this.#daemonScope)
    const why = over === "lost" ? "another daemon has its lease" : "its lease could not be renewed in time"
    return Effect.andThen(close, Effect.logWarning(`${this.#name} is ended: ${why}`))
  }

  #follow(events: Stream.Stream<Event, E>): Effect.Effect<Followed, E> {
    const { branch } = this.#handler
    return Effect.gen({ self: this }, function* () {
      const pull = yield* Channel.toPullScoped(events.channel, this.#scope)
      for (;;) {
        const some = yield* pull
        const last = some.findIndex(branch.isLast)
        const kept = last < 0 ? some : some.slice(0, last + 1)
        const drafts = kept.map((event) => draftEvent(branch, event))
        const refused = yield* this.#writer.write(drafts, { last: last >= 0, untilLeaseLost: false })
        if (this.#writer.lost) yield* this.lose
        if (refused !== undefined) return "refused" as const
        if (last >= 0 || this.#over !== undefined) return "ended" as const
      }
    }).pipe(Effect.catchIf(Cause.isDone, () => Effect.succeed("unfinished" as const)))
  }

  #last(ending: EndCause<E>): Effect.Effect<ReadonlyArray<Draft>> {
    const { branch, makeLastEvent } = this.#handler
    return Effect.map(makeLastEvent(this.#request, ending), (last) => [draftEvent(branch, last)])
  }

  #endingBefore(): EndCause<E> | undefined {
    const { failure } = this.#writer
    if (this.#over === "expired" && failure !== undefined) return { _tag: "JournalFailed", error: failure }
    return this.#cancel === undefined ? undefined : { _tag: "Cancelled", by: this.#cancel.by }
  }

  #endingOf(exit: Exit.Exit<Followed, E>): EndCause<E> | undefined {
    const { ended, failure, lost } = this.#writer
    if (lost || ended) return undefined
    const refused = this.#over === "expired" || (Exit.isSuccess(exit) && exit.value === "refused")
    if (refused && failure !== undefined) return { _tag: "JournalFailed", error: failure }
    const broke = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
    if (this.#cancel !== undefined && !broke) return { _tag: "Cancelled", by: this.#cancel.by }
    return Exit.isFailure(exit) ? { _tag: "Broken", cause: exit.cause } : { _tag: "Unfinished" }
  }
}
