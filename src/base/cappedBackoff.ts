/** Makes a schedule of retries without end, with delays that double up to a maximum. */
import type * as Duration from "effect/Duration"
import * as Schedule from "effect/Schedule"

/** Recurs for ever. Waits `first`, then twice as long each time, never longer than `max`. */
export const cappedBackoff = (first: Duration.Input, max: Duration.Input): Schedule.Schedule<Duration.Duration> =>
  Schedule.min([Schedule.exponential(first), Schedule.spaced(max)])
