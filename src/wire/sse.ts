/**
 * Encodes events, with the ids of their chunks or given ids, as a server-sent event stream (`text/event-stream`), and
 * decodes them.
 *
 * Source: HTML Living Standard, "Server-sent events" (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 *
 * @module
 */
import type * as Stream from "effect/Stream"
import { encodeUtf8 } from "../base/bytes.ts"
import type { ShellEvent, ShellFault } from "../command/ShellFault.ts"
import { encodeEvent } from "./codec.ts"
import { type DecodeOptions, decodeWith, encodeWith } from "./decoding.ts"
import { sseParser } from "./sseParser.ts"
import type { WireError } from "./WireError.ts"

/**
 * Media type of an event stream.
 *
 * @example
 * ```ts
 * import { Sse } from "@sluice/shell/wire"
 *
 * console.log(Sse.mediaType) // text/event-stream
 * ```
 */
export const mediaType = "text/event-stream"

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
 * console.log(new TextDecoder().decode(bytes).startsWith("id: 7\ndata: {")) // true
 * ```
 */
export const toBytes = (events: ReadonlyArray<ShellEvent>): Uint8Array<ArrayBuffer> => {
  let text = ""
  for (const event of events) {
    const id = idOf(event)
    text += (id === undefined ? "data: " : `id: ${id}\ndata: `) + encodeEvent(event) + "\n\n"
  }
  return encodeUtf8(text)
}

/** An event, with the id that it has for every reader of its command. */
export interface EventWithId {
  /** The id, which a client sends as `Last-Event-ID` when it reconnects. */
  readonly id: number
  /** The event. */
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
 * console.log(new TextDecoder().decode(bytes).startsWith("id: 8\ndata: {")) // true
 * ```
 */
export const toBytesWithIds = (events: ReadonlyArray<EventWithId>): Uint8Array<ArrayBuffer> => {
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
 * console.log((await Effect.runPromise(text)).startsWith("id: 7\ndata: {")) // true
 * ```
 */
export const encode = <R>(
  events: Stream.Stream<ShellEvent, ShellFault, R>,
): Stream.Stream<Uint8Array, never, R> => encodeWith(events, toBytes)

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
 * console.log((await Effect.runPromise(events)).length) // 1
 * ```
 */
export const decode = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  options?: DecodeOptions,
): Stream.Stream<ShellEvent, WireError | E, R> =>
  decodeWith(bytes, options, (sink) =>
    sseParser(sink, (message, line) => {
      if (message.event === "message") sink.event(message.data, line)
    }))
