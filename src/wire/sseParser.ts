/**
 * Parses a server-sent event stream as a browser's `EventSource` does (HTML Living Standard), but fails at invalid
 * UTF-8 and at data that is too long.
 */
import { decodeUtf8 } from "../base/decodeUtf8.ts"
import { makeLineReader } from "../base/LineReader.ts"
import { type EventSink, failTooLong, type Parser, withoutBom } from "./decoding.ts"

/** A message of an event stream, as a browser's `EventSource` dispatches it. */
export interface SseMessage {
  /** The last id that the stream set; empty before the first. */
  readonly id: string
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
        failTooLong(sink, number + 1)
      }
    },
    end: () => {},
  }
}
