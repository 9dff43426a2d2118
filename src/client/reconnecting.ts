/**
 * Reading a command's events over as many connections as it takes.
 *
 * @module
 */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ClientError } from "./HttpClient.ts"
import type { CommandEvent } from "./inOrder.ts"

/** Statuses of servers that are away or overburdened, and of what stands before them and could not reach them. */
const passing: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504, 520, 521, 522, 523, 524])

/** Whether another try may succeed: the server is away, or is coming back. */
export const mayPass = (error: ClientError): boolean =>
  error._tag === "HttpError" &&
  (error.reason === "Unreachable" || (error.reason === "Refused" && passing.has(error.status)))

const firstPauseMillis = 50
const longestPauseMillis = 1_000

/** A connection that has lasted so long was one, though it brought nothing. */
const steadyMillis = 5_000

/** However short the patience, an answer has so long to come. */
const shortestWaitMillis = 5_000

/** One connection, read after an event that was had; it shall be there within some time, and tells when it is. */
export type Connect = (
  after: number | undefined,
  withinMillis: number,
  onOpen: () => void,
) => Stream.Stream<CommandEvent, ClientError>

type Events = Pull.Pull<Arr.NonEmptyReadonlyArray<CommandEvent>, ClientError>

/** When a connection was asked for, since when there is none, and how long to wait for the next. */
class Trouble {
  readonly #clock: Clock.Clock
  readonly #patienceMillis: number
  #pause = firstPauseMillis
  #since: number | undefined
  #asked = 0
  #opened = false

  constructor(clock: Clock.Clock, patienceMillis: number) {
    this.#clock = clock
    this.#patienceMillis = patienceMillis
  }

  readonly opens = (): void => {
    this.#opened = true
  }

  /** A connection is asked for; answers how long it is waited for. */
  asks(): number {
    this.#asked = this.#clock.currentTimeMillisUnsafe()
    this.#since ??= this.#asked
    this.#opened = false
    return Math.max(shortestWaitMillis, this.#patienceMillis - (this.#asked - this.#since))
  }

  /** It serves: what goes wrong from now on is another trouble. */
  serves(): void {
    this.#pause = firstPauseMillis
    this.#since = undefined
  }

  /** It is lost; answers how long to wait before the next, or nothing when there shall be none. */
  fails(error: ClientError): number | undefined {
    const now = this.#clock.currentTimeMillisUnsafe()
    if (this.#opened && now - this.#asked >= steadyMillis) this.serves()
    this.#since ??= now
    const left = this.#patienceMillis - (now - this.#since)
    if (!mayPass(error) || left <= 0) return undefined
    const wanted = error._tag === "HttpError" ? error.retryAfterMillis ?? 0 : 0
    const wait = Math.min(Math.max(wanted, this.#pause), left)
    this.#pause = Math.min(2 * this.#pause, longestPauseMillis)
    return wait
  }
}

/**
 * Reads on over the next connection while that may help, and looks for one that brings something, or lasts, as long as
 * `patienceMillis`.
 */
export const reconnecting = (
  from: Connect,
  patienceMillis: number,
  start: number | undefined,
): Stream.Stream<CommandEvent, ClientError> =>
  Stream.fromChannel(Channel.fromTransform((_, scope) =>
    Effect.gen(function* () {
      const trouble = new Trouble(yield* Clock.clockWith(Effect.succeed), patienceMillis)
      let after = start
      let connection: { readonly scope: Scope.Closeable; readonly pull: Events } | undefined

      const connect: Effect.Effect<void> = Effect.gen(function* () {
        const own = yield* Scope.fork(scope)
        const events = Stream.suspend(() => from(after, trouble.asks(), trouble.opens))
        connection = { scope: own, pull: yield* Channel.toPullScoped(events.channel, own) }
      })

      const lose = (error: ClientError): Events =>
        Effect.suspend(() => {
          const lost = connection
          connection = undefined
          const wait = trouble.fails(error)
          const close = lost === undefined ? Effect.void : Scope.close(lost.scope, Exit.void)
          if (wait === undefined) return Effect.andThen(close, Effect.fail(error))
          return Effect.andThen(Effect.andThen(close, Effect.sleep(wait)), next)
        })

      const next: Events = Effect.suspend(() => {
        if (connection === undefined) return Effect.andThen(connect, next)
        const pull = Effect.map(connection.pull, (some) => {
          after = (some.at(-1) ?? some[0]).id
          trouble.serves()
          return some
        })
        return Effect.catch(pull, (error) => Cause.isDone(error) ? Cause.done() : lose(error))
      })
      return next
    })
  ))
