/** Makes the clock, the generator of random bytes and the scheduler of a sandbox whose runs can be repeated. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { runSync } from "../../base/stderrLogs.ts"
import { CountedScheduler } from "../process/CountedScheduler.ts"
import type { KernelClock } from "../process/KernelClock.ts"

export interface Repeatable {
  readonly clock: KernelClock
  readonly random: (into: Uint8Array) => void
  readonly scheduler: CountedScheduler
}

/** Makes a generator of bytes that are the same for the same seed. */
export const seededRandom = (seed: number | string): (into: Uint8Array) => void => {
  // The generator treats the number 1 and the text "1" as the same seed.
  const random = runSync(Random.withSeed(Effect.service(Random.Random), `${typeof seed} ${seed}`))
  return (into) => {
    for (let at = 0; at < into.length; at++) into[at] = Math.floor(random.nextDoubleUnsafe() * 256)
  }
}

/** `startTime`: nanoseconds since 1970. */
export const makeRepeatable = (seed: number | string, startTime: bigint): Repeatable => {
  const scheduler = new CountedScheduler(startTime)
  return { clock: scheduler.clock, random: seededRandom(seed), scheduler }
}

/**
 * Makes the machine of a fork: with the same time, and with other random bytes, which depend on the seed and on earlier
 * forks.
 */
export const forkRepeatable = ({ clock, random }: Repeatable): Repeatable => {
  const seed = new Uint8Array(16)
  random(seed)
  return makeRepeatable(seed.join(" "), clock.now())
}
