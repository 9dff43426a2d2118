/**
 * When things happen in a replay.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { FaultReason } from "../../command/FaultReason.ts"
import type { EpochMillis } from "../../command/ShellEvent.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { describeTimeout } from "../../shell/makeShellOutput.ts"

/** How fast a recording is played: as it was, so many times as fast, or without waiting. */
export type ReplaySpeed = "recorded" | "max" | number

/** Why a replay ends before the recording does. */
export interface Broken {
  readonly reason: FaultReason
  readonly message: string
}

const millisOf = (time: Duration.Duration | undefined): number =>
  time === undefined ? Infinity : Duration.toMillis(time)

/**
 * The times of one replay. What a recording says is counted in milliseconds from the start of the process, and so are
 * the timeouts of who asked: they mean the command, not how fast it is shown.
 */
export class Pacer {
  readonly #exec: ShellExec
  readonly #origin: EpochMillis
  readonly #started: EpochMillis
  readonly #pace: number
  readonly #waits: boolean
  readonly #limited: boolean
  readonly #deferred = Deferred.makeUnsafe<never, Broken>()
  #broken: Broken | undefined
  #last = 0

  constructor(options: {
    readonly exec: ShellExec
    readonly speed: ReplaySpeed
    /** When the recorded process was started, and when this replay was. */
    readonly origin: EpochMillis
    readonly started: EpochMillis
    /** Whether the timeouts of who asked count. */
    readonly limited: boolean
  }) {
    const { exec, limited, origin, speed, started } = options
    this.#exec = exec
    this.#origin = origin
    this.#started = started
    this.#pace = typeof speed === "number" ? speed : 1
    this.#waits = speed !== "max"
    this.#limited = limited && (exec.timeout !== undefined || exec.idleTimeout !== undefined)
  }

  /** Whether nothing is ever waited for, and no time runs out. */
  get isFree(): boolean {
    return !this.#waits && !this.#limited
  }

  /** A recorded time, as it is in this replay. */
  timeOf(at: EpochMillis): EpochMillis {
    return this.#started + Math.max(0, Math.round((at - this.#origin) / this.#pace))
  }

  /** A recorded time span, as it is in this replay. */
  spanOf(millis: number): number {
    return millis / this.#pace
  }

  /** Ends the replay. The first to do so says why. */
  break(broken: Broken): void {
    if (this.#broken !== undefined) return
    this.#broken = broken
    Deferred.doneUnsafe(this.#deferred, Effect.fail(broken))
  }

  /** Waits for what happened at a recorded time; fails when the replay is broken, or a time of who asked runs out. */
  until(at: EpochMillis): Effect.Effect<void, Broken> {
    return Effect.suspend(() => {
      if (this.#broken !== undefined) return Effect.fail(this.#broken)
      const offset = Math.max(0, at - this.#origin)
      const late = this.#limited ? this.#lateBefore(offset) : undefined
      this.#last = Math.max(this.#last, offset)
      const wait = this.#wait(late?.offset ?? offset)
      return late === undefined ? wait : Effect.andThen(wait, Effect.fail(late.broken))
    })
  }

  #lateBefore(offset: number): { readonly offset: number; readonly broken: Broken } | undefined {
    const total = millisOf(this.#exec.timeout)
    const idle = millisOf(this.#exec.idleTimeout)
    const due = Math.min(total, this.#last + idle)
    if (offset <= due) return undefined
    const [reason, message] = total <= this.#last + idle
      ? describeTimeout(this.#exec, "total", total)
      : describeTimeout(this.#exec, "idle", idle)
    return { offset: due, broken: { reason, message } }
  }

  /** Timers may be early by a fraction: then there is a little more to wait. */
  #wait(offset: number): Effect.Effect<void, Broken> {
    if (!this.#waits) return Effect.void
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const millis = this.#started + offset / this.#pace - now
      if (millis <= 0) return Effect.void
      const woken = Effect.raceFirst(Effect.sleep(millis), Deferred.await(this.#deferred))
      return Effect.andThen(woken, Effect.suspend(() => this.#wait(offset)))
    })
  }
}
