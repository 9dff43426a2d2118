/** Encodes a stream of events and decodes a stream of bytes with the encoder or parser of one format. */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { ShellEvent, ShellFault } from "../command/ShellFault.ts"
import { decodeEvent, isLastEvent } from "./codec.ts"
import { WireError, type WireErrorReason } from "./WireError.ts"

/** Options of decoding events. */
export interface DecodeOptions {
  /**
   * Maximum bytes of a line, of a frame, and of the data of an event stream's event. Default: 256 MiB, which holds a
   * `ShellOutput` with both outputs at their default budget (64 MiB), every byte escaped.
   */
  readonly maxLineBytes?: number | undefined
  /** Whether it is an error (`Truncated`) if the bytes end before the last event of a run. Default: `true`. */
  readonly requireLast?: boolean | undefined
}

const defaultMaxLineBytes = 256 * 1024 * 1024

/** Receives the events of a parser. After a failure it ignores them. */
export interface EventSink {
  readonly maxLineBytes: number
  /** Decodes the JSON of one event; `text` is its `content`, where that is transferred separately. */
  readonly event: (json: string, line: number, text?: string) => void
  readonly fail: (reason: WireErrorReason, message: string, line: number) => void
  readonly hasFailed: () => boolean
}

export const failTooLong = ({ fail, maxLineBytes }: EventSink, line: number): void =>
  fail({ _tag: "LineTooLong", maxLineBytes }, `longer than ${maxLineBytes} bytes`, line)

/** A parser of one of the formats; `end` reports an unfinished event. */
export interface Parser {
  readonly push: (bytes: Uint8Array) => void
  readonly end: () => void
}

/**
 * Runs a parser over a stream. Events found before a failure are emitted before it. One pull emits all events that its bytes
 * complete, and suspends only to pull more bytes. Events that this version does not know are skipped.
 */
export const decodeWith = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  options: DecodeOptions | undefined,
  makeParser: (sink: EventSink) => Parser,
): Stream.Stream<ShellEvent, WireError | E, R> =>
  // A failure must come after the earlier events, also at the end of the bytes; no operator does this.
  Stream.transformPull(bytes, (upstream) =>
    Effect.sync(() => {
      let found: Array<ShellEvent> = []
      let failure: WireError | undefined
      let hasEnded = false
      // An empty stream is truncated too.
      let lacksLast = true

      const parser = makeParser({
        maxLineBytes: options?.maxLineBytes ?? defaultMaxLineBytes,
        hasFailed: () => failure !== undefined,
        fail: (reason, message, line) => {
          failure ??= new WireError({ reason, message: `line ${line}: ${message}`, line })
        },
        event: (json, line, text = "") => {
          if (failure !== undefined) return
          const decoded = text === "" ? decodeEvent(json) : Result.flatMap(decodeEvent(json), withText(text))
          if (Result.isFailure(decoded)) {
            const { message, reason } = decoded.failure
            failure = new WireError({ reason, message: `line ${line}: ${message}`, line })
          } else if (decoded.success !== undefined) {
            found.push(decoded.success)
            lacksLast = !isLastEvent(decoded.success)
          }
        },
      })

      const finish = (): void => {
        hasEnded = true
        parser.end()
        if (lacksLast && options?.requireLast !== false) {
          failure ??= new WireError({
            reason: { _tag: "Truncated" },
            message: "the bytes ended before the last event of the run",
          })
        }
      }

      const next: Pull.Pull<Arr.NonEmptyReadonlyArray<ShellEvent>, WireError | E> = Effect.suspend(() => {
        if (Arr.isArrayNonEmpty(found)) {
          const events = found
          found = []
          return Effect.succeed(events)
        }
        if (failure !== undefined) return Effect.fail(failure)
        return hasEnded ? Cause.done() : more
      })

      const more: Pull.Pull<Arr.NonEmptyReadonlyArray<ShellEvent>, WireError | E> = Pull.matchEffect(upstream, {
        onSuccess: (chunks) => {
          for (const chunk of chunks) {
            if (failure === undefined) parser.push(chunk)
          }
          return next
        },
        onFailure: Effect.failCause,
        onDone: () => {
          finish()
          return next
        },
      })
      return next
    }))

/** Encodes each batch of a run as a whole. A fault becomes the last event, so the stream does not fail. */
export const encodeWith = <R>(
  events: Stream.Stream<ShellEvent, ShellFault, R>,
  toBytes: (batch: ReadonlyArray<ShellEvent>) => Uint8Array,
): Stream.Stream<Uint8Array, never, R> =>
  events.pipe(
    Stream.catch((fault) => Stream.succeed(fault)),
    Stream.mapArray((batch) => [toBytes(batch)]),
  )

/** Puts a text that was transferred separately into its event. */
const withText =
  (text: string) => (event: ShellEvent | undefined): Result.Result<ShellEvent | undefined, WireError> => {
    if (event === undefined) return Result.succeed(undefined)
    switch (event._tag) {
      case "ShellOutputChunk":
      case "Window":
        return Result.succeed({ ...event, content: text })
      default:
        return Result.fail(
          new WireError({ reason: { _tag: "InvalidEvent" }, message: `a ${event._tag} has no separate text` }),
        )
    }
  }

/** Removes the byte-order mark that may start a stream. */
export const withoutBom = (line: Uint8Array): Uint8Array =>
  line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line
