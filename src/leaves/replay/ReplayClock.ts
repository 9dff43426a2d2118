/** Maps the times of a recording to those of its replay. */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { completeLater } from "../../base/waits.ts"
import type { EpochMillis } from "../../command/ShellEvent.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { describeTimeout, type FaultDescription } from "../../shell/describeFaults.ts"

/** Speed of a replay: as recorded, a multiple of that, or without waiting. */
export type ReplaySpeed = "recorded" | "max" | number

const millisOf = (time: Duration.Duration | undefined): number =>
  time === undefined ? Infinity : Duration.toMillis(time)

/**
 * The clock of one replay. Recorded times and the caller's timeouts count in milliseconds from the start of the
 * process: timeouts apply to the recorded times, whatever the speed of the replay.
 */
export class ReplayClock {
  readonly #exec: ShellExec
  readonly #origin: EpochMillis
  readonly #started: EpochMillis
  readonly #speed: number
  readonly #isTimed: boolean
  readonly #hasTimeouts: boolean
  readonly #deferred = Deferred.makeUnsafe<never, FaultDescription>()
  #failure: FaultDescription | undefined
  #lastMillis = 0

  constructor(options: {
    readonly exec: ShellExec
    readonly speed: ReplaySpeed
    readonly origin: EpochMillis
    readonly started: EpochMillis
    readonly hasTimeouts: boolean
  }) {
    const { exec, hasTimeouts, origin, speed, started } = options
    this.#exec = exec
    this.#origin = origin
    this.#started = started
    this.#speed = typeof speed === "number" ? speed : 1
    this.#isTimed = speed !== "max"
    this.#hasTimeouts = hasTimeouts && (exec.timeout !== undefined || exec.idleTimeout !== undefined)
  }

  get neverWaits(): boolean {
    return !this.#isTimed && !this.#hasTimeouts
  }

  toReplayTime(at: EpochMillis): EpochMillis {
    return this.#started + Math.max(0, Math.round((at - this.#origin) / this.#speed))
  }

  toReplayMillis(millis: number): number {
    return millis / this.#speed
  }

  /** Ends the replay. The first failure counts. */
  fail(...failure: FaultDescription): void {
    if (this.#failure !== undefined) return
    this.#failure = failure
    completeLater(this.#deferred, Effect.fail(failure))
  }

  /** Waits for a recorded time; fails if the replay has failed, or a timeout of the caller expires first. */
  waitUntil(at: EpochMillis): Effect.Effect<void, FaultDescription> {
    return Effect.suspend(() => {
      if (this.#failure !== undefined) return Effect.fail(this.#failure)
      const offset = Math.max(0, at - this.#origin)
      const expiry = this.#hasTimeouts ? this.#expiryBefore(offset) : undefined
      this.#lastMillis = Math.max(this.#lastMillis, offset)
      const wait = this.#wait(expiry?.offset ?? offset)
      return expiry === undefined ? wait : Effect.andThen(wait, Effect.fail(expiry.failure))
    })
  }

  /** The timeout that expires before an offset. */
  #expiryBefore(offset: number): { readonly offset: number; readonly failure: FaultDescription } | undefined {
    const total = millisOf(this.#exec.timeout)
    const idle = millisOf(this.#exec.idleTimeout)
    const due = Math.min(total, this.#lastMillis + idle)
    if (offset <= due) return undefined
    const failure = total <= this.#lastMillis + idle
      ? describeTimeout(this.#exec, "total", total)
      : describeTimeout(this.#exec, "idle", idle)
    return { offset: due, failure }
  }

  /** Waits again if a timer fires a fraction early. */
  #wait(offset: number): Effect.Effect<void, FaultDescription> {
    if (!this.#isTimed) return Effect.void
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const millis = this.#started + offset / this.#speed - now
      if (millis <= 0) return Effect.void
      const woken = Effect.raceFirst(Effect.sleep(millis), Deferred.await(this.#deferred))
      return Effect.andThen(woken, Effect.suspend(() => this.#wait(offset)))
    })
  }
}
