/**
 * What reading NDJSON, event streams and frames share.
 *
 * @module
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { ShellEvent } from "../command/ShellFault.ts"
import { decodeEvent, isLast } from "./codec.ts"
import { WireError, type WireErrorReason } from "./WireError.ts"

/** Settings of reading events. */
export interface DecodeOptions {
  /**
   * Longest line in bytes; for an event stream also the most data of one event. Default: 256 MiB, which holds a
   * `ShellOutput` with both outputs at their default budget (64 MiB), every byte escaped.
   */
  readonly maxLineBytes?: number | undefined
  /** Whether bytes that end before the last event of a run are an error (`Truncated`). Default: `true`. */
  readonly requireLast?: boolean | undefined
}

const defaultMaxLineBytes = 256 * 1024 * 1024

/** Where a parser puts what it found. After a failure nothing more is taken. */
export interface Sink {
  readonly maxLineBytes: number
  /** Takes the JSON of one event; `text` is its `content`, where that stands beside it. */
  readonly event: (json: string, line: number, text?: string) => void
  readonly fail: (reason: WireErrorReason, message: string, line: number) => void
  readonly failed: () => boolean
}

/** A parser: takes bytes, and at their end says what is left over. */
export interface Parser {
  readonly push: (bytes: Uint8Array) => void
  readonly end: () => void
}

/**
 * Runs a parser over a stream. Events that were found before a failure are delivered before it. One pull gives all
 * events that its bytes completed, and suspends only to ask for more bytes.
 */
export const decodeWith = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  options: DecodeOptions | undefined,
  makeParser: (sink: Sink) => Parser,
): Stream.Stream<ShellEvent, WireError | E, R> =>
  Stream.transformPull(bytes, (upstream) =>
    Effect.sync(() => {
      let found: Array<ShellEvent> = []
      let failure: WireError | undefined
      let ended = false
      // A stream of nothing at all is cut short too.
      let open = true

      const parser = makeParser({
        maxLineBytes: options?.maxLineBytes ?? defaultMaxLineBytes,
        failed: () => failure !== undefined,
        fail: (reason, message, line) => {
          failure ??= new WireError({ reason, message: `line ${line}: ${message}`, line })
        },
        event: (json, line, text = "") => {
          if (failure !== undefined) return
          const decoded = text === "" ? decodeEvent(json) : Result.flatMap(decodeEvent(json), withText(text))
          if (Result.isFailure(decoded)) {
            const { message, reason } = decoded.failure
            failure = new WireError({ reason, message: `line ${line}: ${message}`, line })
          } else {
            found.push(decoded.success)
            open = !isLast(decoded.success)
          }
        },
      })

      const finish = (): void => {
        ended = true
        parser.end()
        if (open && options?.requireLast !== false) {
          failure ??= new WireError({
            reason: "Truncated",
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
        return ended ? Cause.done() : more
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

/** The event with its text. */
const withText = (text: string) => (event: ShellEvent): Result.Result<ShellEvent, WireError> => {
  switch (event._tag) {
    case "ShellOutputChunk":
      return Result.succeed({ ...event, content: text })
    case "Window":
      return Result.succeed({ ...event, content: text })
    default:
      return Result.fail(new WireError({ reason: "InvalidEvent", message: `a ${event._tag} has no text beside it` }))
  }
}

const lenient = new TextDecoder("utf-8", { ignoreBOM: true })
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text of a whole line, or `undefined` when it is not UTF-8. */
export const utf8 = (line: Uint8Array): string | undefined => {
  // On Deno the strict decoder takes six times as long: it is asked only where the lenient one may have put something in.
  const text = lenient.decode(line)
  if (!text.includes("\ufffd")) return text
  try {
    return strict.decode(line)
  } catch {
    return undefined
  }
}

/** A line without the byte-order mark that may stand at the start of a stream. */
export const withoutBom = (line: Uint8Array): Uint8Array =>
  line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line
