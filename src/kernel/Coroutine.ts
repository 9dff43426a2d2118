/** Runs long computations as generators that yield after about a millisecond of work, so that other processes run meanwhile. */
import type { Later, System } from "./System.ts"

/** A computation that yields control and returns a result. */
export type Coroutine<A> = Generator<void, A, void>

/** Steps between two yields, about a millisecond if one step is a character and a lookup in a table. */
export const stepsPerYield = 16_384

/** Runs a coroutine to its end without other processes in between; only for work that is known to be small. */
export const runCoroutineSync = <A>(coroutine: Coroutine<A>): A => {
  for (;;) {
    const next = coroutine.next()
    if (next.done === true) return next.value
  }
}

/** Lets other processes run if it is their turn: the infinite cost makes the scheduler check its clock. */
export const yieldNow = (system: Pick<System, "yield">): Later<void> => system.yield(Infinity)

const continueAfter = async <A>(
  system: Pick<System, "yield">,
  coroutine: Coroutine<A>,
  first: Promise<void>,
): Promise<A> => {
  await first
  for (;;) {
    const next = coroutine.next()
    if (next.done === true) return next.value
    const turn = yieldNow(system)
    if (turn instanceof Promise) await turn
  }
}

/** Runs a coroutine to its end: at once if it is short, otherwise in turn with other processes. */
export const runCoroutine = <A>(system: Pick<System, "yield">, coroutine: Coroutine<A>): Later<A> => {
  for (;;) {
    const next = coroutine.next()
    if (next.done === true) return next.value
    const turn = yieldNow(system)
    if (turn instanceof Promise) return continueAfter(system, coroutine, turn)
  }
}

const continueWith = async <A, B>(steps: Generator<Promise<B>, A, B>, first: Promise<B>): Promise<A> => {
  for (let waited = first;;) {
    const next = steps.next(await waited)
    if (next.done === true) return next.value
    waited = next.value
  }
}

/**
 * Runs a generator that yields what it waits for: at once if it waits for nothing. An async function would give up its turn at
 * each of its awaits.
 */
export const runWaiting = <A, B>(steps: Generator<Promise<B>, A, B>): Later<A> => {
  const next = steps.next()
  return next.done === true ? next.value : continueWith(steps, next.value)
}
