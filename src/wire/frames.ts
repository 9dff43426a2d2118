/**
 * Events as frames: `application/vnd.sluice.frames`, for programs that move much output. The text of a chunk is bytes
 * there as it is, where JSON would escape every newline, and read it all again.
 *
 * A frame is two lengths in bytes (32 bits each, big endian), the event as JSON, and text in UTF-8. The text is the
 * `content` of a chunk or a window, whose JSON has an empty one; it is missing (its length is 0) beside every other event,
 * and beside a content that is no well-formed UTF-16. Two lengths of 0 say nothing but that the server is there.
 *
 * @module
 */
import type * as Stream from "effect/Stream"
import type { ShellEvent } from "../command/ShellFault.ts"
import { encodeEvent } from "./codec.ts"
import { type DecodeOptions, decodeWith, type Parser, type Sink, utf8 } from "./decoding.ts"
import type { WireError } from "./WireError.ts"

/** Media type of frames. */
export const framesMediaType = "application/vnd.sluice.frames"

const lengths = 8

const encoder = new TextEncoder()
const noBytes: Uint8Array = new Uint8Array(0)

/** An event without its text, and the text. */
const divide = (event: ShellEvent): readonly [head: ShellEvent, text: string] => {
  switch (event._tag) {
    case "ShellOutputChunk":
      return event.content.isWellFormed() ? [{ ...event, content: "" }, event.content] : [event, ""]
    case "Window":
      return event.content.isWellFormed() ? [{ ...event, content: "" }, event.content] : [event, ""]
    default:
      return [event, ""]
  }
}

interface Part {
  readonly head: string
  readonly text: string
}

/** Writes the parts into a buffer; `undefined` when they need more room than that. */
const write = (parts: ReadonlyArray<Part>, size: number): Uint8Array<ArrayBuffer> | undefined => {
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const { head, text } of parts) {
    let start = at + lengths
    for (const [index, part] of [head, text].entries()) {
      const { read, written } = encoder.encodeInto(part, bytes.subarray(start))
      if (read < part.length) return undefined
      view.setUint32(at + 4 * index, written)
      start += written
    }
    at = start
  }
  return at === size ? bytes : bytes.subarray(0, at)
}

/** Events as bytes of frames. */
export const framesBytes = (events: ReadonlyArray<ShellEvent>): Uint8Array<ArrayBuffer> => {
  let units = 0
  const parts = events.map((event): Part => {
    const [head, text] = divide(event)
    const part = { head: encodeEvent(head), text }
    units += part.head.length + text.length
    return part
  })
  const room = lengths * parts.length
  // Nearly all output is ASCII: its bytes are written once, where they stay. No UTF-16 unit needs more than three.
  const bytes = write(parts, room + units) ?? write(parts, room + 3 * units)
  if (bytes === undefined) throw new Error("a text has more than three bytes for each unit of UTF-16")
  return bytes
}

/** The frame that says only that the server is there. */
export const emptyFrame: Uint8Array<ArrayBuffer> = /* @__PURE__ */ new Uint8Array(lengths)

const framesParser = (sink: Sink): Parser => {
  // The unfinished frame: the first `held` bytes of a buffer that doubles, at most to the length of the frame.
  let buffer: Uint8Array = noBytes
  let held = 0
  let number = 1

  const hold = (bytes: Uint8Array, whole: number): void => {
    const size = held + bytes.length
    if (size > buffer.length) {
      const grown = new Uint8Array(Math.max(size, Math.min(2 * buffer.length, whole), 1024))
      grown.set(buffer.subarray(0, held))
      buffer = grown
    }
    buffer.set(bytes, held)
    held = size
  }

  const take = (frame: Uint8Array, headLength: number): void => {
    if (frame.length > lengths) {
      const head = utf8(frame.subarray(lengths, lengths + headLength))
      const text = utf8(frame.subarray(lengths + headLength))
      if (head === undefined || text === undefined) sink.fail("InvalidUtf8", "not UTF-8", number)
      else sink.event(head, number, text)
    }
    number++
  }

  /** Takes the frame at the start of `bytes`; answers with its length, or `undefined` when it is not all there. */
  const first = (bytes: Uint8Array): number | undefined => {
    if (bytes.length < lengths) return undefined
    const view = new DataView(bytes.buffer, bytes.byteOffset, lengths)
    const headLength = view.getUint32(0)
    const whole = lengths + headLength + view.getUint32(4)
    if (whole - lengths > sink.maxLineBytes) sink.fail("LineTooLong", `longer than ${sink.maxLineBytes} bytes`, number)
    if (bytes.length < whole || sink.failed()) return undefined
    take(bytes.subarray(0, whole), headLength)
    return whole
  }

  /** How many bytes the unfinished frame will have, as far as that is known. */
  const wanted = (): number => {
    if (held < lengths) return lengths
    const view = new DataView(buffer.buffer, buffer.byteOffset, lengths)
    return lengths + view.getUint32(0) + view.getUint32(4)
  }

  return {
    push: (bytes) => {
      let at = 0
      while (held > 0 && at < bytes.length && !sink.failed()) {
        const whole = wanted()
        const more = bytes.subarray(at, at + whole - held)
        hold(more, whole)
        at += more.length
        if (first(buffer.subarray(0, held)) !== undefined) held = 0
      }
      for (let length = first(bytes.subarray(at)); length !== undefined; length = first(bytes.subarray(at))) {
        at += length
      }
      if (at < bytes.length && !sink.failed()) hold(bytes.subarray(at), bytes.length - at)
    },
    end: () => {
      if (held > 0 && !sink.failed()) sink.fail("Truncated", "the bytes ended within a frame", number)
    },
  }
}

/**
 * The events of frames. Bytes may be cut anywhere. A fault is an element like the others: see {@link failOnFault}.
 * `maxLineBytes` is the longest frame; in an error a `line` is a frame.
 *
 * @example
 * ```ts
 * import * as Wire from "@sluice/shell/wire"
 * import { Effect, Stream } from "effect"
 *
 * const chunk = {
 *   _tag: "ShellOutputChunk" as const, commandId: "c1", stream: "stdout" as const, content: "é\n", timestamp: 0, seq: 0
 * }
 * const frames = Stream.succeed(Wire.framesBytes([chunk]))
 * const events = Wire.decodeFrames(frames, { requireLast: false }).pipe(Stream.runCollect)
 * console.assert((await Effect.runPromise(events))[0]?._tag === "ShellOutputChunk")
 * ```
 */
export const decodeFrames = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  options?: DecodeOptions,
): Stream.Stream<ShellEvent, WireError | E, R> => decodeWith(bytes, options, framesParser)
