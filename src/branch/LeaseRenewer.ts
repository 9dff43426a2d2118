/** Renews the leases of a daemon, and finds lost daemons. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { monotonicMillis } from "../base/monotonicTime.ts"
import { JournalError } from "../journal/JournalError.ts"
import { draftBranchEntry, type LeaseTaken } from "./BranchEntry.ts"
import { type DaemonContext, makeDaemonAlive } from "./DaemonContext.ts"
import { checkLiveness, isVisiblePeer } from "./HostIdentity.ts"

const livenessIntervalMillis = 500

/** Share of a lease that is reserved for ending the runs. */
const endingShare = 1 / 15

/** An idle daemon appends its heartbeat when `settledThrough` has advanced by this many positions. */
const minSettledProgress = 1_000

const renewalTimedOut = JournalError.because(
  { _tag: "Unavailable" },
  "journal: a lease was not renewed, as the journal did not answer in time",
)

export class LeaseRenewer<Request, Event, E> {
  readonly #context: DaemonContext<Request, Event, E>
  readonly #isFollowing: () => boolean
  #renewing: Fiber.Fiber<void, JournalError> | undefined
  #renewedMillis = 0
  #appendedThrough: number

  /** `isFollowing`: whether heartbeats of other daemons would be seen. */
  constructor(context: DaemonContext<Request, Event, E>, isFollowing: () => boolean) {
    this.#context = context
    this.#isFollowing = isFollowing
    this.#appendedThrough = context.requests.settled
  }

  readonly unrenewedMillis: Effect.Effect<number> = Effect.map(monotonicMillis, (now) => now - this.#renewedMillis)

  renewForever(dispatch: Effect.Effect<void>): Effect.Effect<never> {
    const { requests, settings: { periodMillis }, active } = this.#context
    return Effect.gen({ self: this }, function* () {
      this.#renewedMillis = yield* monotonicMillis
      for (;;) {
        if (active.size === 0 && !requests.isLeased) yield* this.#waitForLeases
        const before = yield* monotonicMillis
        yield* Effect.sleep(yield* this.#waitMillis)
        // A daemon that was itself suspended (SIGSTOP, a closed lid) has seen no entries, which proves nothing about
        // others.
        const passed = Math.min((yield* monotonicMillis) - before, 2 * periodMillis)
        yield* this.#renew
        if (this.#isFollowing()) requests.passTime(passed)
        yield* this.markLost
        yield* dispatch
      }
    })
  }

  /**
   * Watches the processes on this machine that hold leases, so that a dead one is noticed before its lease lapses. There is
   * no timer while there is no such process.
   */
  watchPeers(dispatch: Effect.Effect<void>): Effect.Effect<never> {
    const { leaseSeen } = this.#context
    return Effect.gen({ self: this }, function* () {
      for (;;) {
        leaseSeen.close()
        if (!this.#hasPeers) yield* leaseSeen.await
        yield* Effect.sleep(livenessIntervalMillis)
        yield* this.markLost
        yield* dispatch
      }
    })
  }

  get #hasPeers(): boolean {
    const { host, id, requests, active } = this.#context
    for (const { correlationId, hasLapsed: lapsed, lease } of requests.values) {
      const taken = lease?.taken
      if (taken === undefined || taken.daemonId === id || lapsed || active.has(correlationId)) continue
      if (isVisiblePeer(taken.host, host)) return true
    }
    return false
  }

  readonly #leftMillis: Effect.Effect<number> = Effect.suspend(() => {
    const { settings: { leaseMillis }, active } = this.#context
    if (active.size === 0) return Effect.succeed(leaseMillis)
    return Effect.map(this.unrenewedMillis, (unrenewed) => Math.max(0, leaseMillis * (1 - endingShare) - unrenewed))
  })

  readonly #waitMillis: Effect.Effect<number> = Effect.suspend(() => {
    const { periodMillis } = this.#context.settings
    return Effect.map(this.#leftMillis, (left) => left > 0 ? Math.min(periodMillis, left) : periodMillis)
  })

  readonly markLost: Effect.Effect<void> = Effect.suspend(() => {
    const { id, requests, active } = this.#context
    const dead = new Map<string, boolean>()
    const checks: Array<Effect.Effect<void>> = []
    for (const open of requests.values) {
      const taken = open.lease?.taken
      if (taken === undefined || taken.daemonId === id || open.hasLapsed || active.has(open.correlationId)) continue
      if (requests.isSilent(taken)) open.hasLapsed = true
      else {
        checks.push(Effect.map(isDead(taken, dead), (is) => {
          if (is && open.lease?.taken === taken) open.hasLapsed = true
        }))
      }
    }
    return Effect.all(checks, { discard: true })
  })

  readonly #waitForLeases: Effect.Effect<void> = Effect.suspend(() => {
    const { leaseActivity } = this.#context
    leaseActivity.close()
    return Effect.andThen(
      leaseActivity.await,
      Effect.map(monotonicMillis, (now) => void (this.#renewedMillis = now)),
    )
  })

  readonly #renew: Effect.Effect<void> = Effect.suspend(() => {
    const { requests, scope, active } = this.#context
    const held = [...active.values()].flatMap(({ execution: answering }) => answering ?? [])
    if (held.length === 0 && requests.settled < this.#appendedThrough + minSettledProgress) {
      return Effect.map(monotonicMillis, (now) => void (this.#renewedMillis = now))
    }
    return Effect.gen({ self: this }, function* () {
      const before = this.#renewing
      const isLate = before !== undefined && (yield* this.#leftMillis) === 0
      const renewing = before ?? (yield* Effect.forkIn(this.#append, scope))
      this.#renewing = renewing
      const answer = isLate
        ? Option.fromUndefinedOr(renewing.pollUnsafe())
        : yield* Effect.timeoutOption(Fiber.await(renewing), yield* this.#waitMillis)
      const error = Option.isSome(answer) ? yield* this.#settle : renewalTimedOut
      // A pause of the journal ends nothing. The remaining time of the lease is for ending the running requests.
      if (error === undefined || (yield* this.#leftMillis) > 0) return
      yield* Effect.forEach(held, (answering) => answering.expire(error), { discard: true })
    })
  })

  readonly #append: Effect.Effect<void, JournalError> = Effect.suspend(() => {
    const { branch, id, journal } = this.#context
    const sign = makeDaemonAlive(this.#context)
    return Effect.gen({ self: this }, function* () {
      const began = yield* monotonicMillis
      yield* journal.append([draftBranchEntry(branch, id, sign)])
      this.#renewedMillis = began
      this.#appendedThrough = sign.settledThrough
    })
  })

  readonly #settle: Effect.Effect<JournalError | undefined> = Effect.suspend(() => {
    const renewing = this.#renewing
    this.#renewing = undefined
    if (renewing === undefined) return Effect.undefined
    return Effect.map(
      Effect.result(Fiber.join(renewing)),
      (result) => Result.isFailure(result) ? result.failure : undefined,
    )
  })
}

const isDead = ({ daemonId: daemon, host }: LeaseTaken, known: Map<string, boolean>): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const found = known.get(daemon)
    if (found !== undefined) return Effect.succeed(found)
    return Effect.map(checkLiveness(host), (alive) => {
      known.set(daemon, alive === "dead")
      return alive === "dead"
    })
  })
