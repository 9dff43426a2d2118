/** Recognizes effects that need no fiber. */
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Whether an effect is a success already, so that its value can be used without a step of a fiber. */
export const hasSucceeded = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Success<A> =>
  Exit.isExit(effect) && effect._tag === "Success"
