/** Hangs up a terminal whose command does not end by SIGTERM. */
import * as Effect from "effect/Effect"
import type { HostProcess } from "../Host.ts"
import { pause } from "../waitRealTime.ts"

/**
 * Time between SIGTERM and SIGHUP: long enough for a program that ends by SIGTERM, so that its exit status shows that
 * signal.
 */
const hangUpMillis = 100

/**
 * Adds SIGHUP to the termination of a command: interactive shells ignore SIGTERM, and pass a hang-up on to their jobs before
 * they end.
 */
export const hangUp = <A, E>(
  process: HostProcess,
  hasExited: () => boolean,
  terminate: Effect.Effect<A, E>,
): Effect.Effect<A, E> =>
  Effect.scoped(Effect.andThen(
    Effect.forkScoped(Effect.andThen(pause(hangUpMillis), Effect.sync(() => hasExited() || process.kill("SIGHUP")))),
    terminate,
  ))
