/**
 * Encodes and decodes events as newline-delimited JSON (`application/x-ndjson`).
 *
 * @module
 */
import type * as Stream from "effect/Stream"
import { encodeUtf8 } from "../base/bytes.ts"
import { decodeUtf8 } from "../base/decodeUtf8.ts"
import type { ShellEvent, ShellFault } from "../command/ShellFault.ts"
import { encodeEvent } from "./codec.ts"
import {
  type DecodeOptions,
  decodeWith,
  encodeWith,
  type EventSink,
  failTooLong,
  type Parser,
  withoutBom,
} from "./decoding.ts"
import { makeLineReader } from "../base/LineReader.ts"
import type { WireError } from "./WireError.ts"

/**
 * Media type of NDJSON.
 *
 * @example
 * ```ts
 * import { Ndjson } from "@sluice/shell/wire"
 *
 * console.log(Ndjson.mediaType) // application/x-ndjson
 * ```
 */
export const mediaType = "application/x-ndjson"

/**
 * Encodes events as bytes of NDJSON, one line each.
 *
 * @example
 * ```ts
 * import { Ndjson } from "@sluice/shell/wire"
 *
 * const bytes = Ndjson.toBytes([
 *   { _tag: "ShellOutputChunk", commandId: "c1", stream: "stdout", content: "hi\n", timestamp: 0, seq: 0 },
 * ])
 * console.log(new TextDecoder().decode(bytes).endsWith(`"seq":0}\n`)) // true
 * ```
 */
export const toBytes = (events: ReadonlyArray<ShellEvent>): Uint8Array<ArrayBuffer> => {
  let text = ""
  for (const event of events) text += encodeEvent(event) + "\n"
  return encodeUtf8(text)
}

/**
 * Encodes the events of a run as NDJSON. A fault becomes the last line, so the stream does not fail. Each batch of events
 * is one element of bytes; nothing is pulled ahead.
 *
 * @example
 * ```ts
 * import { ShellFault } from "@sluice/shell"
 * import * as Wire from "@sluice/shell/wire"
 * import { Effect, Stream } from "effect"
 *
 * const fault = ShellFault.because("c1", { _tag: "Unknown" }, "exec: nothing to see")
 * const text = Stream.fail(fault).pipe(Wire.Ndjson.encode, Stream.decodeText, Stream.mkString)
 * console.log((await Effect.runPromise(text)).startsWith(`{"_tag":"ShellFault","commandId":"c1"`)) // true
 * ```
 */
export const encode = <R>(
  events: Stream.Stream<ShellEvent, ShellFault, R>,
): Stream.Stream<Uint8Array, never, R> => encodeWith(events, toBytes)

const ndjsonParser = (sink: EventSink): Parser => {
  const lines = makeLineReader("lf", sink.maxLineBytes)
  let number = 0

  const onLine = (line: Uint8Array): void => {
    number++
    if (sink.hasFailed()) return
    const text = decodeUtf8(number === 1 ? withoutBom(line) : line)
    if (text === undefined) sink.fail({ _tag: "InvalidUtf8" }, "not UTF-8", number)
    else if (text.trim() !== "") sink.event(text, number)
  }

  return {
    push: (bytes) => {
      if (!lines.push(bytes, onLine)) {
        failTooLong(sink, number + 1)
      }
    },
    end: () => {
      const rest = lines.rest()
      if (rest.length === 0 || sink.hasFailed()) return
      // The last line may lack its newline, but it must be complete.
      const text = decodeUtf8(number === 0 ? withoutBom(rest) : rest)
      number++
      if (text !== undefined && isJson(text)) sink.event(text, number)
      else if (text === undefined || text.trim() !== "") {
        sink.fail({ _tag: "Truncated" }, "the bytes ended within a line", number)
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
 * Decodes the events of NDJSON. Bytes may be cut anywhere, also within a character; empty lines, a byte-order mark and
 * unknown events are skipped; CRLF is accepted. A fault is an element like the others: see {@link failOnFault}.
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
 * const events = Wire.Ndjson.decode(bytes, { requireLast: false }).pipe(Stream.runCollect)
 * console.log((await Effect.runPromise(events)).length) // 1
 * ```
 */
export const decode = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  options?: DecodeOptions,
): Stream.Stream<ShellEvent, WireError | E, R> => decodeWith(bytes, options, ndjsonParser)
