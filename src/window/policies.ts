/** Makes window policies that end a window by lines, bytes or silence, or only at the end of the command. */
import type { DurationInput } from "../base/duration.ts"
import { countRule, finiteFrom, isCount, OptionError, showValue } from "../base/OptionError.ts"
import { makePolicy, type Policy } from "./Policy.ts"
import { splitsPair } from "../base/text.ts"
import { fitUtf8 } from "../base/utf8.ts"

const positiveInteger = (what: string, n: number): number => {
  if (isCount(n, finiteFrom(1))) return n
  throw new OptionError(what, `${what} must be ${countRule(finiteFrom(1))}, got ${showValue(n)}`)
}

/**
 * Emits one window with all output at the end of the command.
 *
 * @example
 * ```ts
 * import { Window } from "@sluice/shell"
 *
 * console.log(Window.finalOnly.name) // final
 * ```
 */
export const finalOnly: Policy = makePolicy({ name: "final" })

/**
 * Ends a window after exactly `n` lines; only the last window may have fewer, or an unfinished line. A line ends with `\n`,
 * which stays in the window, as does a `\r` before it.
 *
 * @throws {OptionError} when `n` is not a whole number from 1.
 *
 * @example
 * ```ts
 * import { ShellOutputChunk, Window } from "@sluice/shell"
 * import { Effect, Stream } from "effect"
 *
 * const chunk = ShellOutputChunk.make({ commandId: "c", stream: "stdout", content: "a\nb\nc\n", timestamp: 0, seq: 0 })
 * const windows = await Effect.runPromise(
 *   Stream.make(chunk).pipe(Window.apply(Window.lineCount(2)), Stream.runCollect),
 * )
 * console.log(windows.map((window) => window.content).join("|"))
 * // a
 * // b
 * // |c
 * ```
 */
export const lineCount = (n: number): Policy => {
  const lines = positiveInteger("lineCount", n)
  return makePolicy({
    name: `lines:${n}`,
    open: () => {
      let left = lines
      return (text, from) => {
        let at = from
        do {
          const newline = text.indexOf("\n", at)
          if (newline < 0) return -1
          at = newline + 1
        } while (--left > 0)
        return at
      }
    },
  })
}

/**
 * Ends a window after `duration` without output: by the clock, not at the next chunk. Separate streams have separate
 * silences.
 *
 * In a Stream only the time counts in which output is being pulled: a slow consumer does not make a busy command look
 * silent.
 *
 * @example
 * ```ts
 * import { Window } from "@sluice/shell"
 *
 * console.log(Window.silence("2 seconds").silenceMillis) // 2000
 * ```
 *
 * @throws {OptionError} for a duration that is no time span above 0.
 */
export const silence = (duration: DurationInput): Policy => {
  const policy = makePolicy({ silence: duration })
  return { ...policy, name: `silence:${policy.silenceMillis}` }
}

/**
 * Ends a window at `n` bytes of UTF-8, or before, so that no character is split. A single character of more than `n`
 * bytes is a window of its own.
 *
 * @throws {OptionError} when `n` is not a whole number from 1.
 *
 * @example
 * ```ts
 * import { ShellOutputChunk, Window } from "@sluice/shell"
 * import { Effect, Stream } from "effect"
 *
 * const chunk = ShellOutputChunk.make({ commandId: "c", stream: "stdout", content: "aé😀", timestamp: 0, seq: 0 })
 * const windows = await Effect.runPromise(
 *   Stream.make(chunk).pipe(Window.apply(Window.byteCount(4)), Stream.runCollect),
 * )
 * console.log(windows.map((window) => window.content).join("|")) // aé|😀
 * ```
 */
export const byteCount = (n: number): Policy => {
  const limit = positiveInteger("byteCount", n)
  return makePolicy({
    name: `bytes:${n}`,
    open: () => {
      let left = limit
      return (text, from) => {
        const { end, bytes } = fitUtf8(text, from, text.length, left)
        const untouched = left === limit
        left -= bytes
        if (end === from && untouched) return splitsPair(text, from + 1) ? from + 2 : from + 1
        return end < text.length || left === 0 ? end : -1
      }
    },
  })
}
