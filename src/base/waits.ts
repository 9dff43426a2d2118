/**
 * Waits that other fibers end: each waiting fiber resumes in a microtask of its own, never inside the fiber that ends
 * its wait.
 *
 * Effect 4.1 runs a resumed fiber at once, on the stack of the one that resumes it. If `Effect.forEach` with a
 * concurrency limit is just starting the resuming fiber, and the resumed fiber is a sibling that ends, the loop is
 * re-entered before it has counted its item: it starts one item twice, and another one never. See
 * architecture/effect.md.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** As `Effect.callback`, except that a fiber that is already waiting is resumed in a microtask. */
export const callbackLater = <A, E = never, R = never>(
  register: (resume: (effect: Effect.Effect<A, E, R>) => void) => void | Effect.Effect<void, never, R>,
): Effect.Effect<A, E, R> =>
  Effect.callback<A, E, R>((resume) => {
    let isRegistering = true
    const onInterrupt = register((effect) => {
      if (isRegistering) resume(effect)
      else queueMicrotask(() => resume(effect))
    })
    isRegistering = false
    return onInterrupt
  })

/** Completes a `Deferred` in a microtask, unless it is complete by then. */
export const completeLater = <A, E>(deferred: Deferred.Deferred<A, E>, effect: Effect.Effect<A, E>): void =>
  queueMicrotask(() => Deferred.doneUnsafe(deferred, effect))

/** As Effect's `Latch`; the fibers that wait when it opens are resumed in a microtask, also if it is closed again by then. */
export class Latch {
  #isOpen: boolean
  readonly #waiting = new Set<() => void>()

  constructor(isOpen = false) {
    this.#isOpen = isOpen
  }

  readonly await: Effect.Effect<void> = callbackLater<void>((resume) => {
    if (this.#isOpen) return resume(Effect.void)
    const proceed = (): void => resume(Effect.void)
    this.#waiting.add(proceed)
    return Effect.sync(() => this.#waiting.delete(proceed))
  })

  open(): void {
    this.#isOpen = true
    for (const proceed of this.#waiting) proceed()
    this.#waiting.clear()
  }

  close(): void {
    this.#isOpen = false
  }

  isOpen(): boolean {
    return this.#isOpen
  }
}
