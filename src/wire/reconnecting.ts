/**
 * Reading a command's events over as many connections as it takes.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ClientError } from "./HttpClient.ts"
import type { NumberedEvent } from "./sse.ts"

/** Gives events their ids: the number of a chunk, and one more for what ends the run. */
export const numbered = (after: number | undefined): (event: NumberedEvent["event"]) => NumberedEvent => {
  let next = (after ?? -1) + 1
  return (event) => {
    const id = event._tag === "ShellOutputChunk" ? event.seq : next
    next = id + 1
    return { id, event }
  }
}

/** Whether another try may succeed: the server is away, or is coming back. */
export const mayPass = (error: ClientError): boolean =>
  error._tag === "HttpError" &&
  (error.reason === "Unreachable" || [429, 502, 503, 504].includes(error.status ?? 0))

const firstPauseMillis = 50
const longestPauseMillis = 1_000

/**
 * Reads on over the next connection while that may help, and looks for one as long as `patienceMillis`. `from` makes one,
 * after an event that was had, and calls `onOpen` when it is there.
 */
export const reconnecting = (
  from: (after: number | undefined, onOpen: () => void) => Stream.Stream<NumberedEvent, ClientError>,
  patienceMillis: number,
  start: number | undefined,
): Stream.Stream<NumberedEvent, ClientError> =>
  Stream.suspend(() => {
    let after = start
    let pause = firstPauseMillis
    let since: number | undefined
    const onOpen = (): void => {
      pause = firstPauseMillis
      since = undefined
    }
    const connect = (): Stream.Stream<NumberedEvent, ClientError> =>
      from(after, onOpen).pipe(
        Stream.map((one) => {
          after = one.id
          return one
        }),
        Stream.catch((error) =>
          Stream.unwrap(Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            since ??= now
            if (!mayPass(error) || now - since >= patienceMillis) return Stream.fail(error)
            const wait = error._tag === "HttpError" ? error.retryAfterMillis ?? pause : pause
            yield* Effect.sleep(Math.min(wait, patienceMillis))
            pause = Math.min(2 * pause, longestPauseMillis)
            return connect()
          }))
        ),
      )
    return connect()
  })
