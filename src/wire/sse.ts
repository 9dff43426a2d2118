/**
 * Events as an event stream: `text/event-stream`.
 *
 * Source: HTML Living Standard, "Server-sent events" (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 *
 * @module
 */
import * as Stream from "effect/Stream"
import type { ShellEvent, ShellFault } from "../command/ShellFault.ts"
import { encodeEvent } from "./codec.ts"
import { type DecodeOptions, decodeWith, type Parser, type Sink, utf8, withoutBom } from "./decoding.ts"
import { makeLineReader } from "../base/LineReader.ts"
import type { WireError } from "./WireError.ts"

/** Media type of an event stream. */
export const sseMediaType = "text/event-stream"

const encoder = new TextEncoder()

// The last chunk that the event brings: what a client has seen when it has seen this event. The events that end a run
// have no seq; a client keeps the id of the chunk before them, as the standard says.
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

/** Events as bytes of an event stream. The JSON of an event has no newline, so each has one `data` line. */
export const sseBytes = (events: ReadonlyArray<ShellEvent>): Uint8Array<ArrayBuffer> => {
  let text = ""
  for (const event of events) {
    const id = idOf(event)
    text += (id === undefined ? "data: " : `id: ${id}\ndata: `) + encodeEvent(event) + "\n\n"
  }
  return encoder.encode(text)
}

/** An event, and the id that it has for every reader of its command. */
export interface EventWithId {
  readonly id: number
  readonly event: ShellEvent
}

/** The same with ids that are given: also the event that ends a run has one then. */
export const sseBytesWithIds = (events: ReadonlyArray<EventWithId>): Uint8Array<ArrayBuffer> => {
  let text = ""
  for (const { event, id } of events) text += `id: ${id}\ndata: ${encodeEvent(event)}\n\n`
  return encoder.encode(text)
}

/**
 * The events of a run as an event stream: `id` is the `seq` of a chunk (of a window: `toSeq`), `data` the event's
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
 * const text = Stream.make(chunk).pipe(Wire.encodeSse, Stream.decodeText, Stream.mkString)
 * console.assert((await Effect.runPromise(text)).startsWith("id: 7\ndata: {"))
 * ```
 */
export const encodeSse = <R>(
  events: Stream.Stream<ShellEvent, ShellFault, R>,
): Stream.Stream<Uint8Array, never, R> =>
  events.pipe(
    Stream.catch((fault) => Stream.succeed(fault)),
    Stream.mapArray((batch) => [sseBytes(batch)]),
  )

/** A message of an event stream, as a browser's `EventSource` would dispatch it. */
export interface SseMessage {
  /** The last id that the stream set; empty before it set one. */
  readonly id: string
  /** The event's name; `"message"` unless the stream gave one. */
  readonly event: string
  readonly data: string
}

/**
 * Parses an event stream by the standard: lines end with CRLF, LF or CR; lines that start with a colon are comments;
 * several `data` lines are joined by newlines; an event that its empty line does not end is dropped. One thing is
 * stricter: a line that is not UTF-8 is an error, since replacement characters would change a command's output.
 */
export const sseParser = (sink: Sink, onMessage: (message: SseMessage, line: number) => void): Parser => {
  const lines = makeLineReader("any", sink.maxLineBytes)
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
    if (sink.failed()) return
    const text = utf8(number === 1 ? withoutBom(line) : line)
    if (text === undefined) return sink.fail("InvalidUtf8", "not UTF-8", number)
    if (text === "") return dispatch()
    const colon = text.indexOf(":")
    const field = colon < 0 ? text : text.slice(0, colon)
    const value = colon < 0 ? "" : text.slice(text[colon + 1] === " " ? colon + 2 : colon + 1)
    if (field === "data") {
      size += line.length
      if (size > sink.maxLineBytes) {
        return sink.fail("LineTooLong", `more than ${sink.maxLineBytes} bytes of data`, number)
      }
      data.push(value)
    } else if (field === "event") event = value
    else if (field === "id" && !value.includes("\0")) id = value
  }

  return {
    push: (bytes) => {
      if (!lines.push(bytes, onLine)) {
        sink.fail("LineTooLong", `longer than ${sink.maxLineBytes} bytes`, number + 1)
      }
    },
    end: () => {},
  }
}

/**
 * The events of an event stream. Bytes may be cut anywhere. Messages with an `event` name other than `message` and
 * comments are skipped, so a server or a proxy may send keep-alives. A fault is an element like the others: see
 * {@link failOnFault}.
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
 *   (bytes) => Wire.decodeSse(bytes, { requireLast: false }),
 *   Stream.runCollect
 * )
 * console.assert((await Effect.runPromise(events)).length === 1)
 * ```
 */
export const decodeSse = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  options?: DecodeOptions,
): Stream.Stream<ShellEvent, WireError | E, R> =>
  decodeWith(bytes, options, (sink) =>
    sseParser(sink, (message, line) => {
      if (message.event === "message") sink.event(message.data, line)
    }))
