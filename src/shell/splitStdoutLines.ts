/**
 * Splits the stdout of a run into a Stream of lines.
 *
 * @module
 */
import * as Stream from "effect/Stream"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"

/** The lines of stdout, without their ends (`\n` or `\r\n`), in arrays as they were read. */
export const splitStdoutLines = <E, R>(
  events: Stream.Stream<ShellOutputChunk | ShellOutput, E, R>,
): Stream.Stream<string, E, R> =>
  events.pipe(
    Stream.map((event) => event._tag === "ShellOutputChunk" && event.stream === "stdout" ? event.content : ""),
    Stream.splitLines,
  )
