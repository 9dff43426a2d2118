/** Opens the body of an answer about files, which is cut off when the client reads nothing. */
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { MaxOpsBeforeYield } from "effect/Scheduler"
import * as Stream from "effect/Stream"
import { monotonicMillis, monotonicMillisOf } from "../../base/monotonicTime.ts"
import type { FileFault } from "../../files/FileFault.ts"
import { refuse } from "../problem.ts"
import { type Bytes, streamBody } from "../streamBody.ts"
import type { FileRefusal } from "./refuseFileFault.ts"
import type { FileRequestContext } from "./FileRequestContext.ts"

export interface OpenedBody {
  readonly body: ReadableStream<Bytes>
  readonly cancel: Effect.Effect<void>
}

type Failure = FileFault | FileRefusal

const stalled: FileRefusal = refuse(408, "slow-body", "the client does not read the response")

/** Number of steps after which a body yields: many listings with costly patterns must not delay other requests. */
const opsBeforeYield = 128

/** Fails when a client has taken nothing for the idle time. */
const untilStalled = (idleTimeoutMillis: number, lastPull: () => number): Effect.Effect<never, FileRefusal> =>
  Effect.gen(function* () {
    for (;;) {
      yield* Effect.sleep(idleTimeoutMillis / 2)
      if ((yield* monotonicMillis) - lastPull() >= idleTimeoutMillis) return yield* Effect.fail(stalled)
    }
  })

/**
 * Opens a body; returns at its first piece. A later failure is sent as the bytes of `encodeFailure`, or breaks the
 * body.
 */
export const openBody = <A>(
  { host, keepPlace, settings: { idleTimeoutMillis } }: FileRequestContext,
  pieces: Stream.Stream<A, Failure>,
  encode: (pieces: ReadonlyArray<A>) => Bytes,
  encodeFailure: (cause: Cause.Cause<Failure>) => Bytes | undefined = () => undefined,
): Effect.Effect<OpenedBody, Failure> =>
  Effect.gen(function* () {
    const clock = yield* Clock.clockWith(Effect.succeed)
    let lastPull = monotonicMillisOf(clock)
    const leave = keepPlace()
    const noted = Stream.tap(pieces, () =>
      Effect.sync(() => {
        lastPull = monotonicMillisOf(clock)
      }))
    const { begun, body } = streamBody<A, Failure>({
      pieces: noted,
      encode,
      encodeFailure,
      fork: (run) =>
        host.fork(
          Effect.raceFirst(run, untilStalled(idleTimeoutMillis, () => lastPull)).pipe(
            Effect.ensuring(Effect.sync(leave)),
            Effect.provideService(MaxOpsBeforeYield, opsBeforeYield),
          ),
        ),
    })
    const cancel = Effect.promise(() => body.cancel().catch(() => {}))
    const exit = yield* Effect.onInterrupt(Effect.promise(() => begun), () => cancel)
    return Exit.isSuccess(exit) ? { body, cancel } : yield* Effect.failCause(exit.cause)
  })
