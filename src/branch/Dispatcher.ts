/** Starts open requests while the daemon has free slots, and takes over or ends those of lost daemons. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Latch } from "../base/waits.ts"
import type { Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { RequestExecution } from "./RequestExecution.ts"
import type { ActiveRequest, DaemonContext } from "./DaemonContext.ts"
import { decodeRequestEntry } from "./BranchDefinition.ts"
import { LeaseHolder } from "./LeaseHolder.ts"
import type { ObservedLease, OpenRequest } from "./OpenRequests.ts"
import { acquireLeaseRetrying, endLostRun, findLapsedLease, hasNewSign } from "./leaseTakeover.ts"

const retryDelay = "500 millis"

/** Maximum number of requests of lost daemons that are ended concurrently; they take no slot. */
const maxRecoveries = 4

export class Dispatcher<Request, Event, E> {
  readonly #context: DaemonContext<Request, Event, E>
  #freeSlots: number
  #recoveries = maxRecoveries
  #stopping = false
  /** Open while it runs no request. */
  readonly #idle = new Latch(true)

  constructor(context: DaemonContext<Request, Event, E>) {
    this.#context = context
    this.#freeSlots = context.settings.maxConcurrency
  }

  get isStopping(): boolean {
    return this.#stopping
  }

  readonly dispatch: Effect.Effect<void> = Effect.suspend(() => {
    const begun: Array<Effect.Effect<unknown>> = []
    if (!this.#stopping) {
      const { requests, active } = this.#context
      for (const open of requests.values) {
        if (this.#freeSlots === 0 && this.#recoveries === 0) break
        if (active.has(open.correlationId)) continue
        const { hasLapsed, isContended, lease, needsSlot } = open
        if (
          lease === undefined ? !isContended && this.#freeSlots > 0 : hasLapsed && (!needsSlot || this.#freeSlots > 0)
        ) {
          const work = this.#begin(open)
          if (work !== undefined) begun.push(work)
        }
      }
    }
    return begun.length === 0 ? Effect.void : Effect.all(begun, { discard: true })
  })

  /** Starts no more requests, and waits until the running ones have ended. */
  readonly drain: Effect.Effect<void> = Effect.suspend(() => {
    this.#stopping = true
    return this.#idle.await
  })

  /** Starts no more requests, cancels the running ones, and waits until they have ended. */
  readonly stop: Effect.Effect<void> = Effect.suspend(() => {
    const { active } = this.#context
    const cancels = [...active.values()].flatMap(({ execution }) =>
      execution === undefined ? [] : [execution.cancel({ _tag: "CancelRequested", by: "shutdown" })]
    )
    return Effect.andThen(Effect.all(cancels, { discard: true }), this.drain)
  })

  #begin(open: OpenRequest): Effect.Effect<unknown> | undefined {
    const lapsed = open.lease
    // Whether a lost request may run again is known only when it has been read.
    const takesSlot = lapsed === undefined || open.needsSlot
    if (takesSlot) this.#freeSlots--
    else if (this.#recoveries === 0) return undefined
    else this.#recoveries--
    const { scope, active } = this.#context
    const work: ActiveRequest<Request, Event, E> = {
      request: open,
      takesSlot,
      lease: undefined,
      execution: undefined,
    }
    active.set(open.correlationId, work)
    this.#idle.close()
    const done = Effect.suspend(() => {
      active.delete(open.correlationId)
      if (takesSlot) this.#freeSlots++
      else this.#recoveries++
      if (active.size === 0) this.#idle.open()
      return this.dispatch
    })
    return Effect.forkIn(Effect.ensuring(this.#tried(work), done), scope)
  }

  #tried(work: ActiveRequest<Request, Event, E>): Effect.Effect<void> {
    const { branch } = this.#context
    const say = (what: string): Effect.Effect<void> =>
      Effect.logWarning(`branch ${branch.name}: ${work.request.correlationId}: ${what}`)
    return this.#work(work).pipe(
      Effect.catch((error) => Effect.andThen(say(error.message), Effect.sleep(retryDelay))),
      Effect.catchDefect((defect) => Effect.andThen(say(Cause.pretty(Cause.die(defect))), Effect.sleep(retryDelay))),
    )
  }

  #work(work: ActiveRequest<Request, Event, E>): Effect.Effect<void, JournalError> {
    const { branch, journal, requests, settings, leaseActivity } = this.#context
    const { request: open } = work
    return Effect.gen({ self: this }, function* () {
      const [entry] = yield* journal.read({ after: open.position - 1, maxEntries: 1 })
      const pruned = entry === undefined || entry.position !== open.position || entry.body === undefined
      const read = pruned ? undefined : decodeRequestEntry(branch, entry)
      if (read === undefined || Result.isFailure(read)) {
        requests.leaveToOthers(open, pruned)
        if (read !== undefined) yield* Effect.logWarning(`branch ${branch.name}: ${read.failure.message}`)
        return
      }
      const request = read.success
      const lapsed = findLapsedLease(open)
      // Its daemon has taken it, or has shown itself, since this was begun.
      if (lapsed === undefined && open.lease !== undefined) return
      const after = open.newestLease
      if (lapsed !== undefined && (yield* hasNewSign(this.#context, lapsed))) return
      const attempts = lapsed?.taken.attempt ?? 0
      const mayRun = lapsed === undefined ||
        (settings.canRerun(request) && open.cancel === undefined && attempts < settings.maxAttempts)
      if (mayRun && !work.takesSlot) {
        open.needsSlot = true
        return
      }
      const attempt = mayRun ? attempts + 1 : attempts
      const execution = mayRun ? yield* settings.execution(request) : undefined
      const isWanted = (): boolean => !this.#stopping
      const lease = yield* acquireLeaseRetrying(this.#context, {
        correlationId: open.correlationId,
        after,
        attempt,
        execution,
        isWanted,
      })
      if (lease === undefined) {
        // The winning lease is in the journal: it will be seen, unless it has been already.
        if (open.newestLease === after) open.isContended = lapsed === undefined
        open.hasLapsed = false
        return
      }
      work.lease = lease
      leaseActivity.open()
      yield* this.#answer({ work, request, attempt, lease, mayRun, lapsed })
    })
  }

  #answer({ attempt, lapsed, lease, mayRun, request, work }: {
    readonly work: ActiveRequest<Request, Event, E>
    readonly request: Request
    readonly attempt: number
    readonly lease: Position
    readonly mayRun: boolean
    readonly lapsed: ObservedLease | undefined
  }): Effect.Effect<void> {
    const { branch, journal, scope, settings } = this.#context
    const { correlationId } = work.request
    const holder = new LeaseHolder({ journal, branch, correlationId }, lease)
    const answering = new RequestExecution({ branch, ...settings }, request, attempt, holder, scope)
    work.execution = answering
    return Effect.gen({ self: this }, function* () {
      const recovered = lapsed === undefined ? {} : yield* endLostRun(this.#context, request, lapsed.taken)
      const cancel = work.request.cancel ?? (this.#stopping ? { _tag: "CancelRequested", by: "shutdown" } : undefined)
      if (lapsed !== undefined && !mayRun) {
        return yield* answering.end({ _tag: "HostLost", lost: lapsed.taken, recovered, attempts: attempt })
      }
      if (cancel !== undefined) yield* answering.cancel({ ...cancel, _tag: "CancelRequested" })
      yield* answering.run
    })
  }
}
