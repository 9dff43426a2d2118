/** Makes the daemon of a branch, which takes open requests from the journal and runs them. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { completeLater, Latch } from "../base/waits.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import type { OptionError } from "../base/OptionError.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal } from "../journal/JournalService.ts"
import { decodeBranchEntry, draftBranchEntry } from "./BranchEntry.ts"
import { type DaemonContext, daemonEntryFilter } from "./DaemonContext.ts"
import { type DaemonOptions, daemonSettings } from "./DaemonOptions.ts"
import type { Branch } from "./BranchDefinition.ts"
import { JournalFollower } from "./JournalFollower.ts"
import { LeaseRenewer } from "./LeaseRenewer.ts"
import { currentHost } from "./HostIdentity.ts"
import { OpenRequests } from "./OpenRequests.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { endWaiting } from "./endWaiting.ts"
import { shedLoad } from "./shedLoad.ts"

/** Lifecycle state of a daemon. */
export type DaemonState = "Stopped" | "Running" | "Completed"

/** A daemon. It is shut down with its Scope at the latest. */
export interface Daemon {
  readonly id: string
  /** Its state; it runs requests while it is `Running`. */
  readonly state: Effect.Effect<DaemonState>
  /** The current state, then each change. */
  readonly states: Stream.Stream<DaemonState>
  /**
   * Starts the daemon: searches for open requests, and follows the journal. The daemon has started when this returns. A
   * second call, or a call after the shutdown, does nothing.
   */
  readonly start: Effect.Effect<void, JournalError>
  /** Takes no more requests, and waits until the running ones have ended. The daemon still has to be shut down. */
  readonly drain: Effect.Effect<void>
  /**
   * Takes no more requests, ends the running ones as `Cancelled` by `"shutdown"`, and the waiting ones too, unless
   * another daemon can take them; then waits until the journal has all entries, and completes. When the journal cannot
   * be reached, it waits for as long as its leases last, and logs this.
   */
  readonly shutdown: Effect.Effect<void>
  /** Waits until the daemon has completed; fails if it ended because the journal can no longer be followed. */
  readonly completed: Effect.Effect<void, JournalError>
}

/**
 * Makes a daemon of a branch. Any number of daemons may share one journal, in any processes; `BranchEntry` explains how they
 * agree.
 *
 * - It takes the oldest open request without a lease while it has free slots. Requests beyond `maxOpen` that no other daemon
 *   has room for end as `Throttled`.
 * - Events are appended as the handler emits them, an array at a time, and the handler waits for the journal. While the
 *   journal is unreachable the handler waits; it is ended when its lease is about to expire.
 * - When a daemon is lost, one of the others ends its remaining runs, and reruns those that may run again. Nothing else is
 *   ever run twice.
 *
 * @example
 * ```ts
 * import { Branch } from "@sluice/shell/branch"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Schema, Stream } from "effect"
 *
 * const Square = Schema.TaggedStruct("Square", { id: Schema.String, of: Schema.Finite })
 * const Squared = Schema.TaggedStruct("Squared", { id: Schema.String, is: Schema.NullOr(Schema.Finite) })
 *
 * const Squares: Branch.Branch<typeof Square.Type, typeof Squared.Type> = {
 *   name: "squares",
 *   version: 1,
 *   request: Branch.makeSchemaCodec({ tags: ["Square"], schema: Square }),
 *   event: Branch.makeSchemaCodec({ tags: ["Squared"], schema: Squared }),
 *   correlationOf: ({ id }) => id,
 *   lastTags: ["Squared"],
 *   isLast: () => true
 * }
 * const makeLastEvent = ({ id }: typeof Square.Type) => Effect.succeed(Squared.make({ id, is: null }))
 *
 * const program = Effect.gen(function* () {
 *   const daemon = yield* Branch.makeDaemon(Squares, {
 *     handle: ({ id, of }) => Stream.succeed(Squared.make({ id, is: of * of })),
 *     makeLastEvent
 *   })
 *   yield* daemon.start
 *   const client = yield* Branch.makeClient(Squares, { makeLastEvent })
 *   const [answer] = yield* Stream.runCollect(client.request(Square.make({ id: "s1", of: 7 })))
 *   return answer?.event.is
 * })
 * const is = await Effect.runPromise(Effect.provide(Effect.scoped(program), MemoryJournal.layer))
 * console.log(is) // 49
 * ```
 */
export const makeDaemon = <Request, Event, E>(
  branch: Branch<Request, Event>,
  options: DaemonOptions<Request, Event, E>,
): Effect.Effect<Daemon, OptionError, Journal | Scope.Scope> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const state = yield* SubscriptionRef.make<DaemonState>("Stopped")
    const completed = yield* Deferred.make<void, JournalError>()
    const scope = yield* Scope.make()
    const host = yield* currentHost
    const settings = yield* attemptOptions(() => daemonSettings(options))
    const id = `${settings.name}-${crypto.randomUUID()}`
    let running: { readonly stop: Effect.Effect<void>; readonly drain: Effect.Effect<void> } | undefined
    let over = false

    const begin: Effect.Effect<void, JournalError> = Effect.gen(function* () {
      const [newest] = yield* journal.readBackward({ filter: daemonEntryFilter(branch), maxEntries: 1 })
      const heartbeat = newest === undefined ? undefined : decodeBranchEntry(branch, newest)
      const settled = heartbeat !== undefined && "settledThrough" in heartbeat ? heartbeat.settledThrough : 0
      const context: DaemonContext<Request, Event, E> = {
        id,
        host,
        journal,
        branch,
        settings,
        scope,
        requests: new OpenRequests(branch, id, settings.maxOpen, settled),
        active: new Map(),
        leaseActivity: new Latch(),
        leaseSeen: new Latch(),
        overload: new Latch(),
      }
      const dispatcher = new Dispatcher(context)
      const follower = new JournalFollower(context, dispatcher.dispatch)
      yield* follower.catchUp
      const renewer = new LeaseRenewer(context, () => follower.isFollowing)
      const { requests } = context
      yield* journal.append([
        draftBranchEntry(branch, id, {
          _tag: "DaemonStarted",
          daemonId: id,
          host,
          leaseMillis: settings.leaseMillis,
          maxOpen: settings.maxOpen,
          settledThrough: requests.settled,
        }),
      ])
      const logEnd = (error: JournalError) =>
        Effect.logError(`branch ${branch.name}: the daemon ends: ${error.message}`)
      const end = (error: JournalError) => Effect.andThen(logEnd(error), complete(Exit.fail(error)))
      running = { stop: stopOf(context, dispatcher, renewer), drain: dispatcher.drain }
      yield* SubscriptionRef.set(state, "Running")
      yield* renewer.markLost
      yield* dispatcher.dispatch
      yield* Effect.forkIn(renewer.renewForever(dispatcher.dispatch), scope)
      yield* Effect.forkIn(renewer.watchPeers(dispatcher.dispatch), scope)
      yield* Effect.forkIn(shedLoad(context, () => dispatcher.isStopping), scope)
      yield* Effect.forkIn(Effect.catch(follower.follow, (error) => Effect.forkDetach(end(error))), scope)
    })

    const stopOf = (
      context: DaemonContext<Request, Event, E>,
      dispatcher: Dispatcher<Request, Event, E>,
      renewer: LeaseRenewer<Request, Event, E>,
    ): Effect.Effect<void> => {
      const leaseExpired = Effect.gen(function* () {
        while ((yield* renewer.unrenewedMillis) < settings.leaseMillis) yield* Effect.sleep(settings.periodMillis)
        yield* Effect.logError(
          `branch ${branch.name}: the daemon ends with requests that could not be written to the journal`,
        )
      })
      const goodbye = Effect.suspend(() =>
        journal.append([draftBranchEntry(branch, id, {
          _tag: "DaemonCompleted",
          daemonId: id,
          settledThrough: context.requests.settled,
        })])
      )
      const notAppended = (error: JournalError) =>
        Effect.logWarning(`branch ${branch.name}: the daemon ends without its last entry: ${error.message}`)
      const notEnded = (error: JournalError) =>
        Effect.logWarning(`branch ${branch.name}: the daemon leaves waiting requests: ${error.message}`)
      return Effect.raceFirst(dispatcher.stop, leaseExpired).pipe(
        Effect.andThen(Effect.timeoutOption(Effect.catch(endWaiting(context), notEnded), settings.leaseMillis)),
        Effect.andThen(Effect.catch(Effect.asVoid(goodbye), notAppended)),
      )
    }

    const complete = (exit: Exit.Exit<void, JournalError>): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (over) return Effect.ignore(Deferred.await(completed))
        over = true
        return Effect.uninterruptible(Effect.gen(function* () {
          if (running !== undefined) yield* running.stop
          // The attempts have been ended. An append that hangs is left to the journal.
          yield* Effect.timeoutOption(Scope.close(scope, Exit.void), settings.leaseMillis)
          yield* SubscriptionRef.set(state, "Completed")
          completeLater(completed, exit)
        }))
      })

    let started: Deferred.Deferred<void, JournalError> | undefined
    const start: Effect.Effect<void, JournalError> = Effect.suspend(() => {
      if (over) return Effect.void
      if (started !== undefined) return Deferred.await(started)
      started = Deferred.makeUnsafe<void, JournalError>()
      const first = started
      return Effect.onExit(begin, (exit) =>
        Effect.sync(() => {
          // Waiting callers get this failure; a later caller starts again.
          if (Exit.isFailure(exit) && running === undefined) started = undefined
          completeLater(first, exit)
        }))
    })

    const shutdown = complete(Exit.void)
    yield* Effect.addFinalizer(() => shutdown)
    return {
      id,
      state: SubscriptionRef.get(state),
      states: SubscriptionRef.changes(state),
      start,
      drain: Effect.suspend(() => running?.drain ?? Effect.void),
      shutdown,
      completed: Deferred.await(completed),
    }
  })
