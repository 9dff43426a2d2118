/**
 * Events as newline-delimited JSON: `application/x-ndjson`.
 *
 * @module
 */
import * as Stream from "effect/Stream"
import type { ShellEvent, ShellFault } from "../command/ShellFault.ts"
import { encodeEvent } from "./codec.ts"
import { type DecodeOptions, decodeWith, type Parser, type Sink, utf8, withoutBom } from "./decoding.ts"
import { makeLineReader } from "../base/LineReader.ts"
import type { WireError } from "./WireError.ts"

/** Media type of NDJSON. */
export const ndjsonMediaType = "application/x-ndjson"

const encoder = new TextEncoder()

/** Events as bytes of NDJSON: each on a line of its own. */
export const ndjsonBytes = (events: ReadonlyArray<ShellEvent>): Uint8Array<ArrayBuffer> => {
  let text = ""
  for (const event of events) text += encodeEvent(event) + "\n"
  return encoder.encode(text)
}

/**
 * The events of a run as NDJSON. A fault becomes the last line, so the bytes end well whatever happened. One element
 * of bytes for all events that are there at once; nothing is pulled ahead.
 *
 * @example
 * ```ts
 * import { ShellFault } from "@sluice/shell"
 * import * as Wire from "@sluice/shell/wire"
 * import { Effect, Stream } from "effect"
 *
 * const fault = ShellFault.because("c1", { _tag: "Unknown" }, "exec: nothing to see")
 * const text = Stream.fail(fault).pipe(Wire.encodeNdjson, Stream.decodeText, Stream.mkString)
 * console.assert((await Effect.runPromise(text)).startsWith(`{"_tag":"ShellFault","commandId":"c1"`))
 * ```
 */
export const encodeNdjson = <R>(
  events: Stream.Stream<ShellEvent, ShellFault, R>,
): Stream.Stream<Uint8Array, never, R> =>
  events.pipe(
    Stream.catch((fault) => Stream.succeed(fault)),
    Stream.mapArray((batch) => [ndjsonBytes(batch)]),
  )

const ndjsonParser = (sink: Sink): Parser => {
  const lines = makeLineReader("lf", sink.maxLineBytes)
  let number = 0

  const onLine = (line: Uint8Array): void => {
    number++
    if (sink.failed()) return
    const text = utf8(number === 1 ? withoutBom(line) : line)
    if (text === undefined) sink.fail("InvalidUtf8", "not UTF-8", number)
    else if (text.trim() !== "") sink.event(text, number)
  }

  return {
    push: (bytes) => {
      if (!lines.push(bytes, onLine)) {
        sink.fail("LineTooLong", `longer than ${sink.maxLineBytes} bytes`, number + 1)
      }
    },
    end: () => {
      const rest = lines.rest()
      if (rest.length === 0 || sink.failed()) return
      // The last line may do without its newline, but it must be whole.
      const text = utf8(number === 0 ? withoutBom(rest) : rest)
      number++
      if (text !== undefined && isJson(text)) sink.event(text, number)
      else if (text === undefined || text.trim() !== "") {
        sink.fail("Truncated", "the bytes ended within a line", number)
      }
    },
  }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * The events of NDJSON. Bytes may be cut anywhere, also within a character; empty lines and a byte-order mark are
 * skipped; CRLF is fine. A fault is an element like the others: see {@link failOnFault}.
 *
 * @example
 * ```ts
 * import * as Wire from "@sluice/shell/wire"
 * import { Effect, Stream } from "effect"
 *
 * const chunk = {
 *   _tag: "ShellOutputChunk" as const, commandId: "c1", stream: "stdout" as const, content: "é", timestamp: 0, seq: 0
 * }
 * const bytes = Stream.fromIterable(new TextEncoder().encode(Wire.encodeEvent(chunk))).pipe(
 *   Stream.map((byte) => Uint8Array.of(byte))
 * )
 * const events = Wire.decodeNdjson(bytes, { requireLast: false }).pipe(Stream.runCollect)
 * console.assert((await Effect.runPromise(events)).length === 1)
 * ```
 */
export const decodeNdjson = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  options?: DecodeOptions,
): Stream.Stream<ShellEvent, WireError | E, R> => decodeWith(bytes, options, ndjsonParser)
