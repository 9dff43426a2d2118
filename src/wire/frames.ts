/**
 * Encodes and decodes events as length-prefixed frames (`application/vnd.sluice.frames`), the fast format for much output:
 * the text of a chunk is raw bytes, where JSON escapes every newline.
 *
 * A frame is two lengths in bytes (32 bits each, big endian), the event as JSON, and text in UTF-8. The text is the
 * `content` of a chunk or a window, whose JSON has an empty one. Its length is 0 for every other event, and for a content
 * that is not well-formed UTF-16. A frame with two lengths of 0 is a keep-alive.
 *
 * @module
 */
import type * as Stream from "effect/Stream"
import type { ShellEvent } from "../command/ShellFault.ts"
import { ByteBuffer } from "../base/ByteBuffer.ts"
import { encodeUtf8Into } from "../base/bytes.ts"
import { decodeUtf8 } from "../base/decodeUtf8.ts"
import { encodeEvent } from "./codec.ts"
import { type DecodeOptions, decodeWith, type EventSink, failTooLong, type Parser } from "./decoding.ts"
import type { WireError } from "./WireError.ts"

/**
 * Media type of frames.
 *
 * @example
 * ```ts
 * import { Frames } from "@sluice/shell/wire"
 *
 * console.log(Frames.mediaType) // application/vnd.sluice.frames
 * ```
 */
export const mediaType = "application/vnd.sluice.frames"

const headerBytes = 8

/** An event as JSON, and its text, which may already be ASCII. */
interface Part {
  readonly head: string
  readonly text: string | Uint8Array
}

const partOf = (event: ShellEvent): Part => {
  if (event._tag !== "ShellOutputChunk" && event._tag !== "Window") return { head: encodeEvent(event), text: "" }
  return event.content.isWellFormed()
    ? { head: encodeEvent({ ...event, content: "" }), text: event.content }
    : { head: encodeEvent(event), text: "" }
}

/** Writes the parts into a buffer of `size` bytes; `undefined` when they do not fit. */
const write = (parts: ReadonlyArray<Part>, size: number): Uint8Array<ArrayBuffer> | undefined => {
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const { head, text } of parts) {
    let start = at + headerBytes
    for (const [index, part] of [head, text].entries()) {
      let length = part.length
      if (typeof part === "string") {
        const { read, written } = encodeUtf8Into(part, bytes.subarray(start))
        if (read < part.length) return undefined
        length = written
      } else {
        if (start + length > size) return undefined
        bytes.set(part, start)
      }
      view.setUint32(at + 4 * index, length)
      start += length
    }
    at = start
  }
  return at === size ? bytes : bytes.subarray(0, at)
}

/**
 * Encodes events as bytes of frames.
 *
 * @example
 * ```ts
 * import { Frames } from "@sluice/shell/wire"
 *
 * const bytes = Frames.toBytes([
 *   { _tag: "ShellOutputChunk", commandId: "c1", stream: "stdout", content: "hi\n", timestamp: 0, seq: 0 },
 * ])
 * // The text has three bytes:
 * console.log(new DataView(bytes.buffer).getUint32(4)) // 3
 * ```
 */
export const toBytes = (events: ReadonlyArray<ShellEvent>): Uint8Array<ArrayBuffer> => {
  let units = 0
  const parts = events.map((event) => {
    const part = partOf(event)
    units += part.head.length + part.text.length
    return part
  })
  const room = headerBytes * parts.length
  // Nearly all output is ASCII, so one byte for each UTF-16 unit is tried first. No unit needs more than three.
  const bytes = write(parts, room + units) ?? write(parts, room + 3 * units)
  if (bytes === undefined) throw new Error("a text has more than three bytes for each unit of UTF-16")
  return bytes
}

/**
 * The keep-alive frame.
 *
 * @example
 * ```ts
 * import { Frames } from "@sluice/shell/wire"
 *
 * console.log(Frames.keepAlive.length) // 8
 * ```
 */
export const keepAlive: Uint8Array<ArrayBuffer> = /* @__PURE__ */ new Uint8Array(headerBytes)

const framesParser = (sink: EventSink): Parser => {
  const { maxLineBytes } = sink
  const unfinished = new ByteBuffer(headerBytes + maxLineBytes)
  let number = 1

  const emit = (frame: Uint8Array, headLength: number): void => {
    if (frame.length > headerBytes) {
      const head = decodeUtf8(frame.subarray(headerBytes, headerBytes + headLength))
      const text = decodeUtf8(frame.subarray(headerBytes + headLength))
      if (head === undefined || text === undefined) sink.fail({ _tag: "InvalidUtf8" }, "not UTF-8", number)
      else sink.event(head, number, text)
    }
    number++
  }

  const lengthsIn = (bytes: Uint8Array): { readonly head: number; readonly frame: number } => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, headerBytes)
    const head = view.getUint32(0)
    return { head, frame: headerBytes + head + view.getUint32(4) }
  }

  /** Emits the frame at the start of `bytes`. Returns its length; `undefined` when it is incomplete. */
  const takeFrame = (bytes: Uint8Array): number | undefined => {
    if (bytes.length < headerBytes) return undefined
    const { frame, head } = lengthsIn(bytes)
    if (frame - headerBytes > maxLineBytes) {
      failTooLong(sink, number)
    }
    if (bytes.length < frame || sink.hasFailed()) return undefined
    emit(bytes.subarray(0, frame), head)
    return frame
  }

  const expectedLength = (): number => unfinished.size < headerBytes ? headerBytes : lengthsIn(unfinished.bytes).frame

  return {
    push: (bytes) => {
      let at = 0
      while (unfinished.size > 0 && at < bytes.length && !sink.hasFailed()) {
        const more = bytes.subarray(at, at + expectedLength() - unfinished.size)
        unfinished.push(more)
        at += more.length
        if (takeFrame(unfinished.bytes) !== undefined) unfinished.clear()
      }
      for (let length = takeFrame(bytes.subarray(at)); length !== undefined; length = takeFrame(bytes.subarray(at))) {
        at += length
      }
      if (at < bytes.length && !sink.hasFailed()) unfinished.push(bytes.subarray(at))
    },
    end: () => {
      if (unfinished.size > 0 && !sink.hasFailed()) {
        sink.fail({ _tag: "Truncated" }, "the bytes ended within a frame", number)
      }
    },
  }
}

/**
 * Decodes the events of frames. Bytes may be cut anywhere; unknown events are skipped. A fault is an element like the
 * others: see {@link failOnFault}. `maxLineBytes` limits a frame; the `line` of an error counts frames.
 *
 * @example
 * ```ts
 * import * as Wire from "@sluice/shell/wire"
 * import { Effect, Stream } from "effect"
 *
 * const chunk = {
 *   _tag: "ShellOutputChunk" as const, commandId: "c1", stream: "stdout" as const, content: "é\n", timestamp: 0, seq: 0
 * }
 * const frames = Stream.succeed(Wire.Frames.toBytes([chunk]))
 * const events = Wire.Frames.decode(frames, { requireLast: false }).pipe(Stream.runCollect)
 * console.log((await Effect.runPromise(events))[0]?._tag) // ShellOutputChunk
 * ```
 */
export const decode = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  options?: DecodeOptions,
): Stream.Stream<ShellEvent, WireError | E, R> => decodeWith(bytes, options, framesParser)
