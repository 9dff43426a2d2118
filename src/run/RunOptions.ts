/**
 * Settings of a command for those who do not write Effect.
 *
 * @module
 */
import * as Stream from "effect/Stream"
import type { Input } from "../command/Input.ts"
import type { ShellExecOptions } from "../command/ShellExec.ts"

/** Input of a command: a value, or bytes and text as they come. */
export type RunInput =
  | Input
  | ReadableStream<Uint8Array | string>
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>

/** Settings of a command; every one has a default, as in `ShellExecOptions`. */
export interface RunOptions extends Omit<ShellExecOptions, "streamOutput" | "useShell" | "input"> {
  /** Directory to run in; the same as `workingDirectory`. */
  readonly cwd?: string | undefined
  /** Entries of the environment; the same as `environment`. */
  readonly env?: ShellExecOptions["environment"]
  /** What the command reads on stdin. Default: nothing; stdin is closed. */
  readonly input?: RunInput | undefined
  /** Ends the command and its descendants when it is aborted; the rejection is a `ShellFault` with `Cancelled`. */
  readonly signal?: AbortSignal | undefined
}

const encoder = new TextEncoder()

const isValue = (input: RunInput): input is Input =>
  typeof input === "string" || input instanceof Uint8Array ||
  !(Symbol.asyncIterator in input || Symbol.iterator in input || input instanceof ReadableStream)

/** Parts the input: what can be written into the command, and what has to be streamed. */
export const partInput = (
  input: RunInput | undefined,
): { readonly value?: Input; readonly stream?: Stream.Stream<Uint8Array, unknown> } => {
  if (input === undefined) return {}
  if (isValue(input)) return { value: input }
  const pieces: Stream.Stream<Uint8Array | string, unknown> = input instanceof ReadableStream
    ? Stream.fromReadableStream({ evaluate: () => input, onError: (error: unknown) => error })
    : Symbol.asyncIterator in input
    ? Stream.fromAsyncIterable(input, (error: unknown) => error)
    : Stream.fromIterable(input)
  return { stream: Stream.map(pieces, (piece) => typeof piece === "string" ? encoder.encode(piece) : piece) }
}
