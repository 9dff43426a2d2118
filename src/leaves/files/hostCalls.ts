/** Wraps calls of `node:fs` as Effects that fail with the error code of the system. */
import * as Effect from "effect/Effect"
import { callbackLater } from "../../base/waits.ts"
import { BackendError } from "./FileBackend.ts"
import { systemErrorCode } from "./systemErrorCode.ts"

export const errorOf = (error: unknown): BackendError => {
  if (error instanceof BackendError) return error
  const code = systemErrorCode(error)
  return new BackendError(code ?? "EIO", code === undefined ? String(error) : undefined)
}

export const attempt = <A>(call: () => A): Effect.Effect<A, BackendError> => Effect.try({ try: call, catch: errorOf })

/** Calls a function of `node:fs` with a callback. Not interruptible, as the file may be closed only afterwards. */
export const waitFor = <A>(call: (done: (error: unknown, value: A) => void) => void): Effect.Effect<A, BackendError> =>
  Effect.uninterruptible(callbackLater<A, BackendError>((resume) => {
    call((error, value) =>
      resume(error === null || error === undefined ? Effect.succeed(value) : Effect.fail(errorOf(error)))
    )
  }))
