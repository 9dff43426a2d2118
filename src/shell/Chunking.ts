/**
 * Makes chunking policies, which decide where decoded output is cut into chunks.
 *
 * @module
 */
import { type DurationInput, millisOf } from "../base/duration.ts"

/**
 * The rule by which decoded output is cut into chunks. `maxLength` bounds the text that is held back until a newline.
 */
export interface Chunking {
  /** The name of the policy. */
  readonly _tag: "hybrid" | "line" | "size" | "time"
  /** Cut after the last newline that has been read. */
  readonly atNewline: boolean
  /** Maximum time in milliseconds that text is held back; `Infinity` for no limit. */
  readonly flushAfterMillis: number
  /** Maximum length of text that is held back, in UTF-16 units. */
  readonly maxLength: number
}

const defaultMaxLength = 65_536

/**
 * Whole lines as they are read; a partial line waits at most 100 ms (or `flushAfter`). The default.
 *
 * @example
 * ```ts
 * import { Chunking } from "@sluice/shell"
 *
 * const chunking = Chunking.hybrid("20 millis")
 * console.log(chunking.atNewline && chunking.flushAfterMillis) // 20
 * ```
 */
export const hybrid = (flushAfter: DurationInput = 100): Chunking => ({
  _tag: "hybrid",
  atNewline: true,
  flushAfterMillis: millisOf("flushAfter", flushAfter),
  maxLength: defaultMaxLength,
})

/**
 * Whole lines only; a line longer than `maxLength` (default 1 MiB of UTF-16 units) is cut.
 *
 * @example
 * ```ts
 * import { Chunking, LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect, Stream } from "effect"
 *
 * const lines = Shell.exec(ShellExec.make("printf", ["a\\nb"]), { chunking: Chunking.line() }).pipe(
 *   Stream.map((event) => event._tag === "ShellOutputChunk" ? event.content : ""),
 *   Stream.runCollect,
 *   Effect.provide(LocalShell.layer),
 * )
 * console.log((await Effect.runPromise(lines)).join("|"))
 * // a
 * // |b|
 * ```
 */
export const line = (maxLength = 1_048_576): Chunking => ({
  _tag: "line",
  atNewline: true,
  flushAfterMillis: Infinity,
  maxLength,
})

/**
 * Chunks of exactly `length` UTF-16 units, the last one shorter.
 *
 * @example
 * ```ts
 * import { Chunking, LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect, Stream } from "effect"
 *
 * const pieces = Shell.exec(ShellExec.make`echo hello`, { chunking: Chunking.size(4) }).pipe(
 *   Stream.map((event) => event._tag === "ShellOutputChunk" ? event.content : ""),
 *   Stream.runCollect,
 *   Effect.provide(LocalShell.layer),
 * )
 * console.log((await Effect.runPromise(pieces)).join("|"))
 * // hell|o
 * // |
 * ```
 */
export const size = (length: number): Chunking => ({
  _tag: "size",
  atNewline: false,
  flushAfterMillis: Infinity,
  maxLength: Math.max(1, Math.floor(length)),
})

/**
 * Chunks of the output of each `interval`, cut anywhere.
 *
 * @example
 * ```ts
 * import { Chunking } from "@sluice/shell"
 *
 * const chunking = Chunking.time("1 second")
 * console.log(!chunking.atNewline && chunking.flushAfterMillis) // 1000
 * ```
 */
export const time = (interval: DurationInput): Chunking => ({
  _tag: "time",
  atNewline: false,
  flushAfterMillis: millisOf("interval", interval),
  maxLength: defaultMaxLength,
})
