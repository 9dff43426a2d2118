/** Reads a command's events over several connections, with growing delays between them. */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { monotonicMillisOf } from "../base/monotonicTime.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { CommandEvent } from "./orderedEvents.ts"
import { type RemoteError, statusOf } from "./RemoteError.ts"

/** Statuses of servers that are down or overloaded, and of proxies that cannot reach their server. */
const transientStatuses: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504, 520, 521, 522, 523, 524])

/** Whether sending the request again may succeed. */
export const isTransient = (error: RemoteError | ShellFault): boolean =>
  error._tag === "RemoteError" &&
  (error.reason._tag === "Unreachable" || transientStatuses.has(statusOf(error)))

const initialDelayMillis = 50
const maxDelayMillis = 1_000

/** Time after which a connection counts as established even if it brought no event. */
const stableAfterMillis = 5_000

/** Minimum time to wait for an answer, even if `reconnectTimeout` is shorter. */
const minAnswerMillis = 5_000

/** Opens a connection behind the event `after`, whose answer must begin within `withinMillis`; calls `onOpen` when it has. */
export type Connect = (
  after: number | undefined,
  withinMillis: number,
  onOpen: () => void,
) => Stream.Stream<CommandEvent, RemoteError | ShellFault>

type Events = Pull.Pull<Arr.NonEmptyReadonlyArray<CommandEvent>, RemoteError | ShellFault>

/**
 * Timing of an outage: since when there is no connection, and how long to wait before the next attempt. A `Schedule` does
 * not fit: the delay restarts with each event, obeys `Retry-After` and ends with the outage's own deadline.
 */
class Outage {
  readonly #clock: Clock.Clock
  readonly #timeoutMillis: number
  #delayMillis = initialDelayMillis
  #since: number | undefined
  #requestedAt = 0
  #hasOpened = false

  constructor(clock: Clock.Clock, timeoutMillis: number) {
    this.#clock = clock
    this.#timeoutMillis = timeoutMillis
  }

  readonly onOpen = (): void => {
    this.#hasOpened = true
  }

  /** Notes that a connection is requested. Returns how many milliseconds to wait for its answer. */
  begin(): number {
    this.#requestedAt = monotonicMillisOf(this.#clock)
    this.#since ??= this.#requestedAt
    this.#hasOpened = false
    return Math.max(minAnswerMillis, this.#timeoutMillis - (this.#requestedAt - this.#since))
  }

  /** Ends the outage: the connection has brought an event. */
  reset(): void {
    this.#delayMillis = initialDelayMillis
    this.#since = undefined
  }

  /** Notes a lost connection. Returns the delay before the next attempt; `undefined` to give up. */
  fail(error: RemoteError | ShellFault): number | undefined {
    const now = monotonicMillisOf(this.#clock)
    if (this.#hasOpened && now - this.#requestedAt >= stableAfterMillis) this.reset()
    this.#since ??= now
    const leftMillis = this.#timeoutMillis - (now - this.#since)
    if (!isTransient(error) || leftMillis <= 0) return undefined
    const retryAfterMillis = error._tag === "RemoteError" && error.reason._tag === "Refused"
      ? error.reason.retryAfterMillis ?? 0
      : 0
    const delayMillis = Math.min(Math.max(retryAfterMillis, this.#delayMillis), leftMillis)
    this.#delayMillis = Math.min(2 * this.#delayMillis, maxDelayMillis)
    return delayMillis
  }
}

/** Emits a command's events over many connections; gives up after `timeoutMillis` without one that lasted. */
export const withReconnect = (
  connectAfter: Connect,
  timeoutMillis: number,
  start: number | undefined,
): Stream.Stream<CommandEvent, RemoteError | ShellFault> =>
  Stream.fromChannel(Channel.fromTransform((_, scope) =>
    Effect.gen(function* () {
      const outage = new Outage(yield* Clock.clockWith(Effect.succeed), timeoutMillis)
      let after = start
      let connection: { readonly scope: Scope.Closeable; readonly pull: Events } | undefined

      const connect: Effect.Effect<void> = Effect.gen(function* () {
        const own = yield* Scope.fork(scope)
        const events = Stream.suspend(() => connectAfter(after, outage.begin(), outage.onOpen))
        connection = { scope: own, pull: yield* Channel.toPullScoped(events.channel, own) }
      })

      const reconnect = (error: RemoteError | ShellFault): Events =>
        Effect.suspend(() => {
          const lost = connection
          connection = undefined
          const delayMillis = outage.fail(error)
          const close = lost === undefined ? Effect.void : Scope.close(lost.scope, Exit.void)
          if (delayMillis === undefined) return Effect.andThen(close, Effect.fail(error))
          return Effect.andThen(Effect.andThen(close, Effect.sleep(delayMillis)), next)
        })

      const next: Events = Effect.suspend(() => {
        if (connection === undefined) return Effect.andThen(connect, next)
        const pull = Effect.map(connection.pull, (batch) => {
          after = (batch.at(-1) ?? batch[0]).id
          outage.reset()
          return batch
        })
        return Effect.catch(pull, (error) => Cause.isDone(error) ? Cause.done() : reconnect(error))
      })
      return next
    })
  ))
