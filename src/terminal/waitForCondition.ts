/** Waits for text in the output or on the screen of a session, or for silence. */
import * as Effect from "effect/Effect"
import { monotonicMillis } from "../base/monotonicTime.ts"
import { millisOf } from "../base/duration.ts"
import type { WaitCondition } from "./SessionOptions.ts"

export interface Watched {
  /** Plain output since the last input. */
  readonly recent: () => string
  /** The visible text. */
  readonly screen: () => string
  /** Time of the latest output, in milliseconds of the clock. */
  readonly lastOutput: () => number
  readonly hasEnded: () => boolean
  /** Counts the changes of any of them. */
  readonly version: () => number
  readonly changed: (since: number) => Effect.Effect<void>
}

/** Searches a text; the part that matched. */
const find = (text: string, pattern: string | RegExp): string | undefined => {
  if (typeof pattern === "string") return text.includes(pattern) ? pattern : undefined
  // With `g` or `y` an expression remembers where it stopped.
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")).exec(text)?.[0]
}

const untilEnded = (watched: Watched): Effect.Effect<void> =>
  Effect.suspend(() => {
    const version = watched.version()
    return watched.hasEnded() ? Effect.void : Effect.andThen(watched.changed(version), untilEnded(watched))
  })

const waitForSilence = (watched: Watched, millis: number): Effect.Effect<string> =>
  Effect.gen(function* () {
    const started = yield* monotonicMillis
    for (;;) {
      const now = yield* monotonicMillis
      const left = Math.max(started, watched.lastOutput()) + millis - now
      if (left <= 0 || watched.hasEnded()) return ""
      yield* Effect.raceFirst(Effect.sleep(left), untilEnded(watched))
    }
  })

/** Waits without a limit. Succeeds with the match, or `undefined` if the command ends first. */
export const waitForCondition = (watched: Watched, condition: WaitCondition): Effect.Effect<string | undefined> => {
  if (typeof condition === "object" && "silence" in condition) {
    return Effect.suspend(() => waitForSilence(watched, millisOf("silence", condition.silence)))
  }
  const look = (): string | undefined =>
    typeof condition === "string" || condition instanceof RegExp
      ? find(watched.recent(), condition)
      : find(watched.screen(), condition.screen)
  const wait: Effect.Effect<string | undefined> = Effect.suspend(() => {
    const version = watched.version()
    const found = look()
    return found !== undefined || watched.hasEnded()
      ? Effect.succeed(found)
      : Effect.andThen(watched.changed(version), wait)
  })
  return wait
}
