/** Makes a Stream of the bytes of one or several output pipes, in order of arrival. */
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import type * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { callbackLater } from "../../../base/waits.ts"
import type { PulledPipe } from "./PulledPipe.ts"

type Chunks = readonly [Uint8Array, ...Array<Uint8Array>]
type Next = Pull.Pull<Chunks, PlatformError.PlatformError>

const pullOf = (pipes: ReadonlyArray<PulledPipe>, onError: (error: unknown) => PlatformError.PlatformError): Next => {
  const open = [...pipes]
  const end = Effect.suspend((): Next => {
    const error = pipes.map((pipe) => pipe.failure).find((failure) => failure !== undefined)
    return error === undefined ? Cause.done() : Effect.fail(onError(error))
  })
  return Effect.suspend((): Next => {
    if (open.length === 0) return end
    return callbackLater<Chunks, PlatformError.PlatformError | Cause.Done>((resume) => {
      let settled = false
      const questions: Array<() => void> = []
      const settle = (next: Next): void => {
        settled = true
        for (const takeBack of questions) takeBack()
        resume(next)
      }
      // Rotates the order, so that a pipe that is always full does not starve the other.
      const order = [...open]
      const first = open.shift()
      if (first !== undefined) open.push(first)
      for (const pipe of order) {
        if (settled) break
        questions.push(pipe.take((bytes) => {
          if (bytes !== undefined) return settle(Effect.succeed([bytes]))
          open.splice(open.indexOf(pipe), 1)
          if (open.length === 0) settle(end)
        }))
      }
      return Effect.sync(() => {
        for (const takeBack of questions) takeBack()
      })
    })
  })
}

export interface OutputStreamOptions {
  readonly pipes: ReadonlyArray<PulledPipe>
  /** Called when a reader starts. */
  readonly onRun: () => void
  readonly onError: (error: unknown) => PlatformError.PlatformError
}

/**
 * Streams the bytes of the pipes in order of arrival, read as the stream is pulled. Another run continues where the last one
 * stopped.
 */
export const outputStream = (
  { onError, onRun, pipes }: OutputStreamOptions,
): Stream.Stream<Uint8Array, PlatformError.PlatformError> =>
  Stream.fromChannel(Channel.fromTransform((_, scope) =>
    Effect.suspend(() => {
      for (const pipe of pipes) pipe.attach()
      onRun()
      const detached = Scope.addFinalizer(
        scope,
        Effect.sync(() => {
          for (const pipe of pipes) pipe.detach()
        }),
      )
      return Effect.as(detached, pullOf(pipes, onError))
    })
  ))
