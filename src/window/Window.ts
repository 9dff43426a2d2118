/**
 * Public module of windows, which group output: policies, a Stream operator ({@link apply}) and a Web `TransformStream`
 * ({@link transform}).
 *
 * No library does this: `Stream.groupedWithin` counts elements, while a window may end inside a chunk, by lines, bytes,
 * paragraphs or silence, and never splits a character.
 *
 * @example
 * ```ts
 * import { ShellOutputChunk, Window } from "@sluice/shell"
 * import { Effect, Stream } from "effect"
 *
 * const chunk = ShellOutputChunk.make({ commandId: "c", stream: "stdout", content: "a\nb\nc", timestamp: 0, seq: 0 })
 * const windows = Stream.make(chunk).pipe(
 *   Window.apply(Window.any(Window.lineCount(2), Window.silence("100 millis"))),
 *   Stream.runCollect,
 * )
 * console.log((await Effect.runPromise(windows)).length) // 2
 * ```
 *
 * @module
 */
export { any } from "./any.ts"
export { apply } from "./apply.ts"
export { paragraph } from "./paragraph.ts"
export { parsePolicy } from "./parsePolicy.ts"
export { byteCount, finalOnly, lineCount, silence } from "./policies.ts"
export { makePolicy, type Policy, type PolicyOptions, type Scan, type WindowStart } from "./Policy.ts"
export type { TaggedEvent, Windowed, WindowOptions } from "./WindowSplitter.ts"
export { transform } from "./transform.ts"
