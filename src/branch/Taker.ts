/**
 * What a daemon does: it takes requests while it has places for them, and ends those whose daemon is lost.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Answering } from "./Answering.ts"
import type { DaemonContext, Work } from "./DaemonContext.ts"
import { requestOf } from "./declare.ts"
import { LeaseHolder } from "./LeaseHolder.ts"
import type { Open } from "./Ledger.ts"
import { type Lapsed, lapsedOf, leaseOf, livesOn, recover } from "./takeover.ts"

/** Time between tries when the journal refuses. */
const pause = "500 millis"

/** Requests of lost daemons that are ended at once: it takes no place among those that run. */
const mostRecoveries = 4

/** Takes requests, and answers them. */
export class Taker<Request, Event, E> {
  readonly #context: DaemonContext<Request, Event, E>
  #places: number
  #recoveries = mostRecoveries
  #stopping = false
  #idle: (() => void) | undefined

  constructor(context: DaemonContext<Request, Event, E>) {
    this.#context = context
    this.#places = context.settings.concurrency
  }

  /** Begins whatever there is to do, as far as there are places. */
  readonly dispatch: Effect.Effect<void> = Effect.suspend(() => {
    const begun: Array<Effect.Effect<unknown>> = []
    if (!this.#stopping) {
      const { ledger, works } = this.#context
      for (const open of ledger.open) {
        if (this.#places === 0 && this.#recoveries === 0) break
        if (works.has(open.correlationId)) continue
        const { contended, lapsed, lease, wantsPlace } = open
        if (lease === undefined ? !contended && this.#places > 0 : lapsed && (!wantsPlace || this.#places > 0)) {
          const work = this.#begin(open)
          if (work !== undefined) begun.push(work)
        }
      }
    }
    return begun.length === 0 ? Effect.void : Effect.all(begun, { discard: true })
  })

  /** Takes nothing more, and waits until what was begun has ended. */
  readonly drain: Effect.Effect<void> = Effect.suspend(() => {
    this.#stopping = true
    const { works } = this.#context
    return Effect.callback<void>((resume) => {
      if (works.size === 0) return resume(Effect.void)
      const before = this.#idle
      this.#idle = () => {
        before?.()
        resume(Effect.void)
      }
    })
  })

  /** Takes nothing more, ends everything, and waits until it has ended. */
  readonly stop: Effect.Effect<void> = Effect.suspend(() => {
    const { works } = this.#context
    const cancels = [...works.values()].flatMap(({ answering }) =>
      answering === undefined ? [] : [answering.cancel({ _tag: "CancelRequested", by: "shutdown" })]
    )
    return Effect.andThen(Effect.all(cancels, { discard: true }), this.drain)
  })

  #begin(open: Open): Effect.Effect<unknown> | undefined {
    const lapsed = open.lease
    // Whoever was lost before it could be told may be run again, or not: that is known when the request has been read.
    const place = lapsed === undefined || open.wantsPlace
    if (place) this.#places--
    else if (this.#recoveries === 0) return undefined
    else this.#recoveries--
    const { scope, works } = this.#context
    const work: Work<Request, Event, E> = { open, place, lease: undefined, answering: undefined }
    works.set(open.correlationId, work)
    const done = Effect.suspend(() => {
      works.delete(open.correlationId)
      if (place) this.#places++
      else this.#recoveries++
      if (works.size === 0) this.#idle?.()
      return this.dispatch
    })
    return Effect.forkIn(Effect.ensuring(this.#tried(work), done), scope)
  }

  #tried(work: Work<Request, Event, E>): Effect.Effect<void> {
    const { branch } = this.#context
    const say = (what: string): Effect.Effect<void> =>
      Effect.logWarning(`branch ${branch.name}: ${work.open.correlationId}: ${what}`)
    return this.#work(work).pipe(
      Effect.catch((error) => Effect.andThen(say(error.message), Effect.sleep(pause))),
      Effect.catchDefect((defect) => Effect.andThen(say(Cause.pretty(Cause.die(defect))), Effect.sleep(pause))),
    )
  }

  #work(work: Work<Request, Event, E>): Effect.Effect<void, JournalError> {
    const { branch, journal, ledger, settings, stirred } = this.#context
    const { open } = work
    return Effect.gen({ self: this }, function* () {
      const [entry] = yield* journal.read({ after: open.position - 1, limit: 1 })
      const pruned = entry === undefined || entry.position !== open.position || entry.body === undefined
      const read = pruned ? undefined : requestOf(branch, entry)
      if (read === undefined || Result.isFailure(read)) {
        ledger.leave(open, pruned)
        if (read !== undefined) yield* Effect.logWarning(`branch ${branch.name}: ${read.failure.message}`)
        return
      }
      const request = read.success
      const lapsed = lapsedOf(open)
      if (lapsed !== undefined && (yield* livesOn(this.#context, lapsed))) return
      const attempts = lapsed?.taken.attempt ?? 0
      const mayRun = lapsed === undefined ||
        (settings.mayRerun(request) && open.cancel === undefined && attempts < settings.maxAttempts)
      if (mayRun && !work.place) {
        open.wantsPlace = true
        return
      }
      const attempt = mayRun ? attempts + 1 : attempts
      const after = lapsed?.position ?? open.position
      const execution = mayRun ? settings.execution(request) : undefined
      const isWanted = (): boolean => !this.#stopping
      const lease = yield* leaseOf(this.#context, open.correlationId, after, attempt, execution, isWanted)
      if (lease === undefined) {
        // What won will be seen, unless it has been already.
        if (open.lease?.position === lapsed?.position) open.contended = lapsed === undefined
        open.lapsed = false
        return
      }
      work.lease = lease
      stirred.openUnsafe()
      yield* this.#answer(work, request, attempt, lease, mayRun, lapsed)
    })
  }

  #answer(
    work: Work<Request, Event, E>,
    request: Request,
    attempt: number,
    lease: Position,
    mayRun: boolean,
    lapsed: Lapsed | undefined,
  ): Effect.Effect<void> {
    const { branch, journal, scope, settings } = this.#context
    const { correlationId } = work.open
    const holder = new LeaseHolder({ journal, branch, correlationId }, lease)
    const answering = new Answering({ branch, ...settings }, request, attempt, holder, scope)
    work.answering = answering
    return Effect.gen({ self: this }, function* () {
      const recovered = lapsed === undefined ? {} : yield* recover(this.#context, request, lapsed.taken)
      const cancel = work.open.cancel ?? (this.#stopping ? { _tag: "CancelRequested", by: "shutdown" } : undefined)
      if (lapsed !== undefined && !mayRun) {
        return yield* answering.end({ _tag: "HostLost", lost: lapsed.taken, recovered, attempts: attempt })
      }
      if (cancel !== undefined) yield* answering.cancel({ ...cancel, _tag: "CancelRequested" })
      yield* answering.run
    })
  }
}
