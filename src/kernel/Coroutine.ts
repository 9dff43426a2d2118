/**
 * Long computations in pieces. A computation is a generator that pauses after about a millisecond of work; what runs it
 * lets others run at every pause, so that timers fire and kills arrive whatever a script asks for.
 *
 * @module
 */
import type { Later, System } from "./System.ts"

/** A computation that pauses; it answers at its end. */
export type Coroutine<A> = Generator<void, A, void>

/** Steps between two pauses: about a millisecond, where one is a character and a lookup in a table. */
export const stepsPerYield = 16_384

/** Makes the scheduler look at its clock at this pause, and not after many of them. */
const pauseCost = Infinity

/** Runs a computation to its end without a pause: only where the work is known to be small. */
export const runCoroutineSync = <A>(steps: Coroutine<A>): A => {
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next.value
  }
}

/** Lets others run, if it is time. */
export const yieldNow = (system: Pick<System, "breathe">): Later<void> => system.breathe(pauseCost)

const rest = async <A>(system: Pick<System, "breathe">, steps: Coroutine<A>, first: Promise<void>): Promise<A> => {
  await first
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next.value
    const turn = yieldNow(system)
    if (turn instanceof Promise) await turn
  }
}

/** Runs a computation to its end: at once when it is short, and in turn with others when it is not. */
export const runCoroutine = <A>(system: Pick<System, "breathe">, steps: Coroutine<A>): Later<A> => {
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next.value
    const turn = yieldNow(system)
    if (turn instanceof Promise) return rest(system, steps, turn)
  }
}
