/** Calls a function until it succeeds or its error must not be retried, with growing delays. */
import { onAbort } from "../base/abort.ts"
import { millisOf } from "../base/duration.ts"
import { OptionError, refuseUnknownOptions, requireCount } from "../base/OptionError.ts"
import { startTimer } from "../base/startTimer.ts"
import type { RunDuration } from "./RunOptions.ts"

/** Options of {@link retry}. */
export interface RetryOptions {
  /** Attempts, including the first. Default: 3. */
  readonly maxAttempts?: number | undefined
  /** Delay before the second attempt. Default: 1 s. */
  readonly delay?: RunDuration | undefined
  /** Factor of the delay with each attempt; 1 keeps it constant. Default: 2. */
  readonly backoff?: number | undefined
  /** Maximum of the delay. Default: 30 s. */
  readonly maxDelay?: RunDuration | undefined
  /** Whether to retry after an error. Default: only after a `ShellExitError`. */
  readonly when?: ((error: unknown, tries: number) => boolean) | undefined
  /** Rejects when it is aborted, also during a delay. */
  readonly signal?: AbortSignal | undefined
}

const names: Readonly<Record<keyof RetryOptions, true>> = {
  maxAttempts: true,
  delay: true,
  backoff: true,
  maxDelay: true,
  when: true,
  signal: true,
}

const isExitError = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "ShellExitError"

const pause = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const cancel = startTimer(millis, () => {
      removeListener()
      resolve()
    })
    const removeListener = onAbort(signal, () => {
      cancel()
      reject(signal?.reason)
    })
  })

/**
 * Calls a function until it succeeds, and rejects with its last error. The function must make a new command each time,
 * since a command runs once.
 *
 * @throws {OptionError} for an unknown option, a `maxAttempts` or `backoff` below 1, or an invalid time.
 *
 * @example
 * ```ts
 * import { $, retry } from "@sluice/shell/run"
 *
 * let tries = 0
 * const flaky = () => $`sh -c ${`exit ${++tries < 3 ? 1 : 0}`}`
 * const { ok } = await retry(flaky, { maxAttempts: 5, delay: "10ms" })
 * console.log(ok && tries) // 3
 * ```
 */
export const retry = async <A>(action: () => PromiseLike<A> | A, options: RetryOptions = {}): Promise<A> => {
  refuseUnknownOptions("retry", options, names)
  if (typeof action !== "function") {
    throw new OptionError(
      "action",
      "retry: write a function that makes the command, as in retry(() => $`…`, { maxAttempts: 3 })",
    )
  }
  const { backoff = 2, delay = 1_000, maxAttempts = 3, maxDelay = 30_000, signal, when = isExitError } = options
  requireCount("retry", "maxAttempts", maxAttempts, { min: 1 })
  if (!(backoff >= 1)) throw new OptionError("backoff", "backoff: write a number from 1")
  const maxMillis = millisOf("maxDelay", maxDelay)
  let wait = millisOf("delay", delay)
  for (let tries = 1;; tries++) {
    signal?.throwIfAborted()
    try {
      return await action()
    } catch (error) {
      if (tries >= maxAttempts || !when(error, tries)) throw error
    }
    await pause(Math.min(wait, maxMillis), signal)
    wait *= backoff
  }
}
