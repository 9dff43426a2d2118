/** Prints the events of a run as they are pulled: bytes, text in windows or at the end, or encoded events. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { encodeUtf8 } from "../base/bytes.ts"
import type { ShellOutput, ShellOutputChunk, ShellOutputWindow } from "../command/ShellEvent.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { ShellBytes } from "../shell/ShellService.ts"
import type { BrokenOutputError, OutputWriter } from "./ProcessOutput.ts"
import type { OutputFd } from "./CliProcess.ts"

/** Prints a run as it is pulled; succeeds with its final output. */
export type PrintEffect = Effect.Effect<ShellOutput, ShellFault | BrokenOutputError>

export type RunEvents = Stream.Stream<ShellOutputWindow | ShellOutputChunk | ShellOutput, ShellFault>

type WriteEffect = Effect.Effect<void, BrokenOutputError>

/** The descriptor of this program to which a stream of the command goes. */
export const fdOf = (stream: ShellOutputWindow["stream"]): OutputFd => stream === "stderr" ? 2 : 1

const isOutput = (event: { readonly _tag: string }): event is ShellOutput => event._tag === "ShellOutput"

/** Writes a batch, then pulls the next: a slow reader of this program's output slows the command down. */
const printBatches = <A extends { readonly _tag: string }>(
  run: Stream.Stream<A, ShellFault>,
  write: (batch: ReadonlyArray<A>) => WriteEffect,
): PrintEffect =>
  Effect.suspend(() => {
    let last: ShellOutput | undefined
    const each = (batch: ReadonlyArray<A>): WriteEffect => {
      const end = batch[batch.length - 1]
      if (end !== undefined && isOutput(end)) last = end
      return write(batch)
    }
    return Effect.flatMap(
      Stream.runForEachArray(run, each),
      () => last === undefined ? Effect.die(new Error("the run ended without a ShellOutput")) : Effect.succeed(last),
    )
  })

/** Prints the bytes of a command unchanged. */
export const printBytes = (
  run: Stream.Stream<ShellBytes | ShellOutput, ShellFault>,
  output: OutputWriter,
): PrintEffect =>
  printBatches(run, (batch) => {
    const [first] = batch
    // Nearly every batch is one piece.
    if (batch.length === 1 && first?._tag === "ShellBytes") return output.write(fdOf(first.stream), first.bytes)
    return Effect.forEach(
      batch,
      (piece) => piece._tag === "ShellBytes" ? output.write(fdOf(piece.stream), piece.bytes) : Effect.void,
      { discard: true },
    )
  })

export const writeCollected = (
  kept: { readonly stdout: string; readonly stderr: string },
  output: OutputWriter,
): Effect.Effect<void, BrokenOutputError> =>
  Effect.andThen(output.write(1, encodeUtf8(kept.stdout)), output.write(2, encodeUtf8(kept.stderr)))

/** Prints text in windows, each in one write, or the collected text at the end. */
export const printText = (
  run: RunEvents,
  output: OutputWriter,
): PrintEffect =>
  printBatches(run, (batch) =>
    Effect.forEach(
      batch,
      (event) =>
        event._tag === "ShellOutput"
          ? writeCollected(event, output)
          : output.write(fdOf(event.stream), encodeUtf8(event.content)),
      { discard: true },
    ))

/** Prints events in the wire's encoding, one per line; events that arrive together are one write. */
export const printEvents = (
  run: RunEvents,
  output: OutputWriter,
  encode: (events: ReadonlyArray<ShellOutputWindow | ShellOutputChunk | ShellOutput>) => Uint8Array,
): PrintEffect => printBatches(run, (batch) => output.write(1, encode(batch)))
