/**
 * How a daemon says that it lives, and notices that others do not.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { JournalError } from "../journal/JournalError.ts"
import { branchDraft, type LeaseTaken } from "./BranchEntry.ts"
import { aliveNow, type DaemonContext } from "./DaemonContext.ts"
import { isAlive, isPeer } from "./HostIdentity.ts"

/** Time between looks at the processes of this machine that answer requests. */
const lookMillis = 500

/** The part of a lease that is kept for ending the runs. */
const reserve = 1 / 15

/** A daemon that does nothing notes how far everything is settled when it is so much further. */
const noteAfter = 1_000

const silent = JournalError.because(
  { _tag: "Unavailable" },
  "journal: a lease was not renewed, as the journal did not answer in time",
)

/** The beats of a daemon. */
export class Heart<Request, Event, E> {
  readonly #context: DaemonContext<Request, Event, E>
  readonly #isFollowing: () => boolean
  #renewing: Fiber.Fiber<void, JournalError> | undefined
  #renewedMillis = 0
  #noted: number

  /** `isFollowing` says whether signs of others would be seen. */
  constructor(context: DaemonContext<Request, Event, E>, isFollowing: () => boolean) {
    this.#context = context
    this.#isFollowing = isFollowing
    this.#noted = context.ledger.settled
  }

  /** For how long the leases have not been renewed. */
  readonly unrenewedMillis: Effect.Effect<number> = Effect.map(monotonicMillis, (now) => now - this.#renewedMillis)

  /** Beats for ever; `dispatch` is called after each beat. */
  beat(dispatch: Effect.Effect<void>): Effect.Effect<never> {
    const { ledger, settings: { periodMillis }, works } = this.#context
    return Effect.gen({ self: this }, function* () {
      this.#renewedMillis = yield* monotonicMillis
      for (;;) {
        if (works.size === 0 && !ledger.isLeased) yield* this.#rest
        const before = yield* monotonicMillis
        yield* Effect.sleep(yield* this.#patienceMillis)
        // A daemon that slept itself (SIGSTOP, a lid that was closed) has heard nobody, and must not blame them.
        const passed = Math.min((yield* monotonicMillis) - before, 2 * periodMillis)
        yield* this.#renew
        if (this.#isFollowing()) ledger.passTime(passed)
        yield* this.findLost
        yield* dispatch
      }
    })
  }

  /**
   * Looks at the processes of this machine that have leases, for ever: one that died need not be waited for. There is no
   * timer while there is none.
   */
  watchPeers(dispatch: Effect.Effect<void>): Effect.Effect<never> {
    const { leased } = this.#context
    return Effect.gen({ self: this }, function* () {
      for (;;) {
        leased.closeUnsafe()
        if (!this.#hasPeers) yield* leased.await
        yield* Effect.sleep(lookMillis)
        yield* this.findLost
        yield* dispatch
      }
    })
  }

  /** Whether another process of this machine has a lease, as far as is known. */
  get #hasPeers(): boolean {
    const { host, id, ledger, works } = this.#context
    for (const { correlationId, lapsed, lease } of ledger.open) {
      const taken = lease?.taken
      if (taken === undefined || taken.daemonId === id || lapsed || works.has(correlationId)) continue
      if (isPeer(taken.host, host)) return true
    }
    return false
  }

  /** How long the leases may still be held. */
  readonly #leftMillis: Effect.Effect<number> = Effect.suspend(() => {
    const { settings: { leaseMillis }, works } = this.#context
    if (works.size === 0) return Effect.succeed(leaseMillis)
    return Effect.map(this.unrenewedMillis, (unrenewed) => Math.max(0, leaseMillis * (1 - reserve) - unrenewed))
  })

  /** A period, or what is left of the leases. */
  readonly #patienceMillis: Effect.Effect<number> = Effect.suspend(() => {
    const { periodMillis } = this.#context.settings
    return Effect.map(this.#leftMillis, (left) => left > 0 ? Math.min(periodMillis, left) : periodMillis)
  })

  /** Marks the leases whose daemon is lost. */
  readonly findLost: Effect.Effect<void> = Effect.suspend(() => {
    const { id, ledger, works } = this.#context
    const dead = new Map<string, boolean>()
    const checks: Array<Effect.Effect<void>> = []
    for (const open of ledger.open) {
      const taken = open.lease?.taken
      if (taken === undefined || taken.daemonId === id || open.lapsed || works.has(open.correlationId)) continue
      if (ledger.isSilent(taken)) open.lapsed = true
      else {
        checks.push(Effect.map(isDead(taken, dead), (is) => {
          if (is && open.lease?.taken === taken) open.lapsed = true
        }))
      }
    }
    return Effect.all(checks, { discard: true })
  })

  /** Nobody has a lease: there is nothing to renew, and nobody to miss. */
  readonly #rest: Effect.Effect<void> = Effect.suspend(() => {
    const { stirred } = this.#context
    stirred.closeUnsafe()
    return Effect.andThen(
      stirred.await,
      Effect.map(monotonicMillis, (now) => void (this.#renewedMillis = now)),
    )
  })

  readonly #renew: Effect.Effect<void> = Effect.suspend(() => {
    const { ledger, scope, works } = this.#context
    const held = [...works.values()].flatMap(({ answering }) => answering ?? [])
    if (held.length === 0 && ledger.settled < this.#noted + noteAfter) {
      return Effect.map(monotonicMillis, (now) => void (this.#renewedMillis = now))
    }
    return Effect.gen({ self: this }, function* () {
      const before = this.#renewing
      const isLate = before !== undefined && (yield* this.#leftMillis) === 0
      const renewing = before ?? (yield* Effect.forkIn(this.#append, scope))
      this.#renewing = renewing
      const answer = isLate
        ? Option.fromUndefinedOr(renewing.pollUnsafe())
        : yield* Effect.timeoutOption(Fiber.await(renewing), yield* this.#patienceMillis)
      const error = Option.isSome(answer) ? yield* this.#settle : silent
      // A journal that pauses ends nothing. When the lease runs out, what is left of it is for ending what runs.
      if (error === undefined || (yield* this.#leftMillis) > 0) return
      yield* Effect.forEach(held, (answering) => answering.expire(error), { discard: true })
    })
  })

  readonly #append: Effect.Effect<void, JournalError> = Effect.suspend(() => {
    const { branch, id, journal } = this.#context
    const sign = aliveNow(this.#context)
    return Effect.gen({ self: this }, function* () {
      const began = yield* monotonicMillis
      yield* journal.append([branchDraft(branch, id, sign)])
      this.#renewedMillis = began
      this.#noted = sign.settledThrough
    })
  })

  readonly #settle: Effect.Effect<JournalError | undefined> = Effect.suspend(() => {
    const renewing = this.#renewing
    this.#renewing = undefined
    if (renewing === undefined) return Effect.succeed(undefined)
    return Effect.map(
      Effect.result(Fiber.join(renewing)),
      (result) => Result.isFailure(result) ? result.failure : undefined,
    )
  })
}

const monotonicMillis: Effect.Effect<number> = Clock.clockWith((clock) =>
  Effect.sync(() => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n))
)

const isDead = ({ daemonId: daemon, host }: LeaseTaken, known: Map<string, boolean>): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const found = known.get(daemon)
    if (found !== undefined) return Effect.succeed(found)
    return Effect.map(isAlive(host), (alive) => {
      known.set(daemon, alive === "dead")
      return alive === "dead"
    })
  })
