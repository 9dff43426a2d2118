/**
 * Encodes and decodes events as a server-sent event stream (`text/event-stream`).
 *
 * Source: HTML Living Standard, "Server-sent events" (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 *
 * @module
 */
import * as Stream from "effect/Stream"
import { encodeUtf8 } from "../base/bytes.ts"
import type { ShellEvent, ShellFault } from "../command/ShellFault.ts"
import { encodeEvent } from "./codec.ts"
import { type DecodeOptions, decodeUtf8, decodeWith, type EventSink, type Parser, withoutBom } from "./decoding.ts"
import { makeLineReader } from "../base/LineReader.ts"
import type { WireError } from "./WireError.ts"

/**
 * Media type of an event stream.
 *
 * @example
 * ```ts
 * import { Sse } from "@sluice/shell/wire"
 *
 * console.assert(Sse.mediaType === "text/event-stream")
 * ```
 *
 * @stability experimental
 */
export const sseMediaType = "text/event-stream"

// The last chunk of the event. The events that end a run have no seq: a client keeps the id of the chunk before them, as
// the standard says.
const idOf = (event: ShellEvent): number | undefined => {
  switch (event._tag) {
    case "ShellOutputChunk":
      return event.seq
    case "Window":
      return event.toSeq
    default:
      return undefined
  }
}

/**
 * Encodes events as bytes of an event stream. The JSON of an event has no newline, so each has one `data` line.
 *
 * @example
 * ```ts
 * import { Sse } from "@sluice/shell/wire"
 *
 * const bytes = Sse.toBytes([
 *   { _tag: "ShellOutputChunk", commandId: "c1", stream: "stdout", content: "hi\n", timestamp: 0, seq: 7 },
 * ])
 * console.assert(new TextDecoder().decode(bytes).startsWith("id: 7\ndata: {"))
 * ```
 *
 * @stability experimental
 */
export const sseBytes = (events: ReadonlyArray<ShellEvent>): Uint8Array<ArrayBuffer> => {
  let text = ""
  for (const event of events) {
    const id = idOf(event)
    text += (id === undefined ? "data: " : `id: ${id}\ndata: `) + encodeEvent(event) + "\n\n"
  }
  return encodeUtf8(text)
}

/**
 * An event, with the id that it has for every reader of its command.
 *
 * @example
 * ```ts
 * import { Sse } from "@sluice/shell/wire"
 *
 * const event: Sse.EventWithId = {
 *   id: 0,
 *   event: { _tag: "ShellOutputChunk", commandId: "c1", stream: "stdout", content: "hi\n", timestamp: 0, seq: 0 },
 * }
 * console.assert(new TextDecoder().decode(Sse.toBytesWithIds([event])).startsWith("id: 0\n"))
 * ```
 *
 * @stability experimental
 */
export interface EventWithId {
  readonly id: number
  readonly event: ShellEvent
}

/**
 * Encodes events with given ids as bytes of an event stream, so that the event that ends a run has one too.
 *
 * @example
 * ```ts
 * import { ShellFault } from "@sluice/shell"
 * import { Sse } from "@sluice/shell/wire"
 *
 * const event = ShellFault.because("c1", { _tag: "Unknown" }, "exec: nothing to see")
 * const bytes = Sse.toBytesWithIds([{ id: 8, event }])
 * console.assert(new TextDecoder().decode(bytes).startsWith("id: 8\ndata: {"))
 * ```
 *
 * @stability experimental
 */
export const sseBytesWithIds = (events: ReadonlyArray<EventWithId>): Uint8Array<ArrayBuffer> => {
  let text = ""
  for (const { event, id } of events) text += `id: ${id}\ndata: ${encodeEvent(event)}\n\n`
  return encodeUtf8(text)
}

/**
 * Encodes the events of a run as an event stream: `id` is the `seq` of a chunk (of a window: `toSeq`), `data` the event's
 * JSON, and no `event` name. A fault becomes the last event. Nothing is pulled ahead.
 *
 * @example
 * ```ts
 * import * as Wire from "@sluice/shell/wire"
 * import { Effect, Stream } from "effect"
 *
 * const chunk = {
 *   _tag: "ShellOutputChunk" as const, commandId: "c1", stream: "stdout" as const, content: "hi\n", timestamp: 0, seq: 7
 * }
 * const text = Stream.make(chunk).pipe(Wire.Sse.encode, Stream.decodeText, Stream.mkString)
 * console.assert((await Effect.runPromise(text)).startsWith("id: 7\ndata: {"))
 * ```
 *
 * @stability experimental
 */
export const encodeSse = <R>(
  events: Stream.Stream<ShellEvent, ShellFault, R>,
): Stream.Stream<Uint8Array, never, R> =>
  events.pipe(
    Stream.catch((fault) => Stream.succeed(fault)),
    Stream.mapArray((batch) => [sseBytes(batch)]),
  )

/** A message of an event stream, as a browser's `EventSource` dispatches it. */
export interface SseMessage {
  /** The last id that the stream set; empty before the first. */
  readonly id: string
  /** The event's name. Default: `"message"`. */
  readonly event: string
  readonly data: string
}

/**
 * Parses an event stream by the standard: lines end with CRLF, LF or CR; lines that start with a colon are comments;
 * several `data` lines are joined by newlines; an event without a closing empty line is dropped. Stricter than the standard,
 * a line that is not UTF-8 is an error, since replacement characters would change a command's output.
 */
export const sseParser = (sink: EventSink, onMessage: (message: SseMessage, line: number) => void): Parser => {
  const { maxLineBytes } = sink
  const lines = makeLineReader("any", maxLineBytes)
  let number = 0
  let id = ""
  let event = ""
  let data: Array<string> = []
  let size = 0

  const dispatch = (): void => {
    if (data.length > 0) onMessage({ id, event: event === "" ? "message" : event, data: data.join("\n") }, number)
    event = ""
    data = []
    size = 0
  }

  const onLine = (line: Uint8Array): void => {
    number++
    if (sink.hasFailed()) return
    const text = decodeUtf8(number === 1 ? withoutBom(line) : line)
    if (text === undefined) return sink.fail({ _tag: "InvalidUtf8" }, "not UTF-8", number)
    if (text === "") return dispatch()
    const colon = text.indexOf(":")
    const field = colon < 0 ? text : text.slice(0, colon)
    const value = colon < 0 ? "" : text.slice(text[colon + 1] === " " ? colon + 2 : colon + 1)
    if (field === "data") {
      size += line.length
      if (size > maxLineBytes) {
        return sink.fail({ _tag: "LineTooLong", maxLineBytes }, `more than ${maxLineBytes} bytes of data`, number)
      }
      data.push(value)
    } else if (field === "event") event = value
    else if (field === "id" && !value.includes("\0")) id = value
  }

  return {
    push: (bytes) => {
      if (!lines.push(bytes, onLine)) {
        sink.fail({ _tag: "LineTooLong", maxLineBytes }, `longer than ${maxLineBytes} bytes`, number + 1)
      }
    },
    end: () => {},
  }
}

/**
 * Decodes the events of an event stream. Bytes may be cut anywhere. Comments, unknown events and messages with an `event`
 * name other than `message` are skipped, so a server or a proxy may send keep-alives. A fault is an element like the others:
 * see {@link failOnFault}.
 *
 * @example
 * ```ts
 * import * as Wire from "@sluice/shell/wire"
 * import { Effect, Stream } from "effect"
 *
 * const text = `: keep-alive\n\nid: 3\ndata: ${
 *   Wire.encodeEvent({
 *     _tag: "ShellOutputChunk", commandId: "c1", stream: "stdout", content: "hi\n", timestamp: 0, seq: 3
 *   })
 * }\n\n`
 * const events = Stream.make(new TextEncoder().encode(text)).pipe(
 *   (bytes) => Wire.Sse.decode(bytes, { requireLast: false }),
 *   Stream.runCollect
 * )
 * console.assert((await Effect.runPromise(events)).length === 1)
 * ```
 *
 * @stability experimental
 */
export const decodeSse = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  options?: DecodeOptions,
): Stream.Stream<ShellEvent, WireError | E, R> =>
  decodeWith(bytes, options, (sink) =>
    sseParser(sink, (message, line) => {
      if (message.event === "message") sink.event(message.data, line)
    }))
