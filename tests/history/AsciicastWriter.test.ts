import { expect, it } from "@effect/vitest"
import { AsciicastWriter } from "../../src/history/AsciicastWriter.ts"
import type { OutputPiece } from "../../src/history/commandOutput.ts"

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (content: string, timestamp: number, stream: OutputPiece["stream"] = "stdout"): OutputPiece => ({
  stream,
  timestamp,
  text: content,
  bytes: bytesOf(content),
})
const raw = (
  bytes: ReadonlyArray<number>,
  timestamp: number,
  stream: OutputPiece["stream"] = "stdout",
): OutputPiece => ({
  stream,
  timestamp,
  text: undefined,
  bytes: Uint8Array.from(bytes),
})

const start = 1_795_312_493_561
const line = "sh -c 'echo hi'"

const recording = (
  pieces: ReadonlyArray<OutputPiece>,
  options: { readonly version?: 2 | 3; readonly encoding?: string; readonly cols?: number; readonly rows?: number } =
    {},
  end: readonly [at: number, status: number | undefined] = [start, undefined],
) => {
  const writer = new AsciicastWriter({ start, line, ...options })
  const whole = writer.header() + pieces.map((piece) => writer.output(piece)).join("") + writer.end(...end)
  expect(whole.endsWith("\n")).toBe(true)
  const [header, ...events] = whole.trimEnd().split("\n").map((each): unknown => JSON.parse(each))
  return { header, events }
}

const shown = (pieces: ReadonlyArray<OutputPiece>, encoding?: string): string =>
  recording(pieces, encoding === undefined ? {} : { encoding }).events
    .map((event) => Array.isArray(event) ? String(event[2]) : "").join("")

/** An event as both versions have it: a time from 0 on, a code, and text. */
const isEvent = (event: unknown): event is [number, string, string] =>
  Array.isArray(event) && event.length === 3 && typeof event[0] === "number" && event[0] >= 0 &&
  typeof event[1] === "string" && /^[oimrx]$/.test(event[1]) && typeof event[2] === "string"

it("begins with the header of version 2: its numbers whole, the time in seconds since 1970", () => {
  expect(recording([]).header).toEqual({
    version: 2,
    width: 80,
    height: 24,
    timestamp: 1_795_312_493,
    command: line,
    title: line,
  })
  expect(recording([], { cols: 132, rows: 50 }).header).toMatchObject({ width: 132, height: 50 })
})

it("begins with the header of version 3, where the size belongs to the terminal", () => {
  expect(recording([], { version: 3, cols: 100, rows: 30 }).header).toEqual({
    version: 3,
    term: { cols: 100, rows: 30 },
    timestamp: 1_795_312_493,
    command: line,
    title: line,
  })
})

const burst = [text("a\n", start + 69), text("b\n", start + 158), text("c\n", start + 1_158, "stderr")]

it("counts seconds from the start in version 2, and from the event before in version 3", () => {
  const two = recording(burst).events
  expect(two).toEqual([[0.069, "o", "a\r\n"], [0.158, "o", "b\r\n"], [1.158, "o", "c\r\n"]])
  expect(two.every(isEvent)).toBe(true)
  const three = recording(burst, { version: 3 }, [start + 2_000, 3]).events
  expect(three).toEqual([[0.069, "o", "a\r\n"], [0.089, "o", "b\r\n"], [1, "o", "c\r\n"], [0.842, "x", "3"]])
  expect(three.every(isEvent)).toBe(true)
})

it("records the exit in version 3 only, and only if the command exited", () => {
  expect(recording(burst, {}, [start + 2_000, 3]).events).toHaveLength(3)
  expect(recording(burst, { version: 3 }, [start + 2_000, undefined]).events).toHaveLength(3)
})

it("never goes back in time", () => {
  const times = recording([text("a", start - 50), text("b", start + 20), text("c", start + 10)]).events
    .map((event) => isEvent(event) ? event[0] : undefined)
  expect(times).toEqual([0, 0.02, 0.02])
})

it("returns the carriage at a bare newline, and leaves one that is returned already", () => {
  expect(shown([text("a\nb\r\nc\n\nd\r", start), text("\ne\n", start)])).toBe("a\r\nb\r\nc\r\n\r\nd\r\ne\r\n")
  expect(shown([text("\n\n", start)])).toBe("\r\n\r\n")
  expect(shown([text("10%\r20%\r", start), text("30%", start)])).toBe("10%\r20%\r30%")
  // What the other stream wrote last is no carriage return of this one.
  expect(shown([text("a\r", start), text("\nb", start, "stderr"), text("\nc", start)])).toBe("a\r\r\nb\nc")
})

it("puts characters together that were cut between two reads, each stream its own", () => {
  const [one = 0, two = 0, three = 0] = bytesOf("€")
  const pieces = [
    raw([one], start),
    raw([one, two], start, "stderr"),
    raw([two, three], start),
    raw([three], start, "stderr"),
  ]
  expect(recording(pieces).events).toHaveLength(2)
  expect(shown(pieces)).toBe("€€")
  expect(shown([raw([0x61, one], start)])).toBe("a\ufffd")
})

it("decodes output recorded as bytes with the encoding of the command", () => {
  expect(shown([raw([0xe9, 0x0a], start)], "latin1")).toBe("é\r\n")
  expect(shown([text("é\n", start)], "latin1")).toBe("é\r\n")
  // Of a command that a runtime ran which knows more encodings than this one.
  expect(shown([raw([0x61], start)], "no-such-encoding")).toBe("a")
})

it("keeps escape sequences, and writes no event without text", () => {
  const colored = "\x1b[31mred\x1b[0m \u2713 \0"
  expect(shown([text(colored, start), text("", start)])).toBe(colored)
  expect(recording([text("", start)]).events).toEqual([])
})
