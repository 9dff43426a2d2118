import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { ShellExec, ShellFault, type ShellOutput } from "@sluice/shell"
import type { ComputeEvent } from "@sluice/shell/daemon"
import { maxEntryLength } from "../../../src/compute/ShellOutputChunks.ts"
import { RunRecorder } from "../../../src/compute/RunRecorder.ts"
import { decodeFixture, encodeFixture, type RecordedRun } from "../../../src/leaves/replay/fixture.ts"
import { normalizeRecordings } from "../../../src/leaves/replay/normalizeRecordings.ts"

const exec = ShellExec.make("make", ["all"], { commandId: "make-1" })

const output: ShellOutput = {
  _tag: "ShellOutput",
  commandId: "make-1",
  exitCode: 2,
  stdout: "",
  stderr: "",
  duration: 3,
  completed: 3,
  drain: "eof",
  executable: "/usr/bin/make",
  stdoutBytes: 0,
  stderrBytes: 0,
  stdoutBytesOmitted: 0,
  stderrBytesOmitted: 0,
}

const chunk = (content: string, seq: number, timestamp: number) =>
  ({ _tag: "ShellOutputChunk", commandId: "make-1", stream: "stdout", content, seq, timestamp }) as const

const recordedOf = (contents: ReadonlyArray<string>, end: ShellOutput | ShellFault = output): RecordedRun => {
  const recorder = new RunRecorder(exec, "text", undefined)
  const chunks = contents.map((content, seq) => chunk(content, seq, seq))
  return { exec, events: [...recorder.output(chunks, () => 0), ...recorder.end(end)] }
}

/** What a text holds, read whole. */
const decoded = (text: string) =>
  Effect.gen(function* () {
    const recordings = yield* Effect.fromResult(decodeFixture(text, "x.ndjson"))
    return yield* Effect.forEach(recordings, (recording) =>
      Effect.gen(function* () {
        const events: ReadonlyArray<ComputeEvent> = yield* Stream.runCollect(recording.output)
        const { at, event } = yield* recording.end
        return { exec: recording.exec, events: [...events, event], at }
      }))
  })

it.effect("decodes the encoded recordings", () =>
  Effect.gen(function* () {
    const fault = ShellFault.because(
      "make-1",
      { _tag: "Timeout", kind: "total", afterMillis: 900 },
      "exec: late (TIMEOUT)",
    )
    const recordings = [recordedOf(["one\n", "é\u2028😀\n"]), recordedOf([]), recordedOf(["a\n", "b\n"], fault)]
    const again = yield* decoded(encodeFixture(recordings))
    expect(again.map(({ events, exec }) => ({ exec, events }))).toEqual(recordings)
    // A fault says not when it came: after the last output, or when its time ran out.
    expect(again.map(({ at }) => at)).toEqual([1, 0, 900])
  }))

it("writes lines of JSON with sorted keys, after a header", () => {
  const lines = encodeFixture([recordedOf(["one\n"])]).split("\n")
  expect(lines.length).toBe(5)
  expect(lines[0]).toBe('{"_tag":"Recordings","branch":"compute","version":1}')
  expect(lines[1]).toBe(
    '{"_tag":"ShellExec","arguments":["all"],"command":"make","commandId":"make-1","streamOutput":true,"useShell":false}',
  )
  expect(lines[4]).toBe("")
})

it("names the invalid line and its problem", () => {
  const [header = "", request = "", chunks = "", end = ""] = encodeFixture([recordedOf(["one\n"])]).split("\n")
  const cases: ReadonlyArray<readonly [lines: ReadonlyArray<string>, line: number, what: string]> = [
    [[], 1, "has no header"],
    [["[]", request], 1, "has no header"],
    [[request, chunks, end], 1, "has no header"],
    [[header, "{", end], 2, "not a JSON object"],
    [[header, "{}", end], 2, "not a JSON object"],
    [[header, chunks], 2, "belongs to no command"],
    [[header, request, chunks], 3, "the last recording has no end"],
    [[header, request, request, end], 3, "the previous recording has no end"],
    [[header, request, '{"_tag":"Unheard"}'], 3, "Expected {"],
    [[header, request, '{"_tag":"ShellOutput"}'], 3, "Missing key"],
    [[header, '{"_tag":"ShellExec"}'], 2, "Missing key"],
  ]
  for (const [lines, line, what] of cases) {
    const result = decodeFixture(lines.join("\n"), "x.ndjson")
    if (Result.isSuccess(result)) throw new Error(`nothing was wrong with ${lines.join(" ")}`)
    expect(result.failure.reason).toMatchObject({ _tag: "Corrupt", position: line })
    expect(result.failure.message).toContain(`line ${line} of x.ndjson cannot be read`)
    expect(result.failure.message).toContain(what)
  }
})

it("refuses a file of a newer version", () => {
  const result = decodeFixture('{"_tag":"Recordings","branch":"compute","version":99}\n', "x.ndjson")
  expect(Result.isFailure(result) && result.failure.reason).toEqual({ _tag: "TooNew", version: 99, known: 1 })
})

it("accepts the line ends of Windows", () => {
  const text = encodeFixture([recordedOf(["one\r\n"])])
  expect(Result.isSuccess(decodeFixture(text.replaceAll("\n", "\r\n"), "x.ndjson"))).toBe(true)
})

it.effect("joins pieces however they were cut, and splits pieces that are too long for an entry", () =>
  Effect.gen(function* () {
    const text = "0123456789".repeat(20_000)
    const pieces = (length: number) =>
      Array.from({ length: Math.ceil(text.length / length) }, (_, n) => text.slice(n * length, (n + 1) * length))
    const normal = (contents: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const recordings = yield* Effect.fromResult(decodeFixture(encodeFixture([recordedOf(contents)]), "x"))
        return yield* normalizeRecordings(recordings, false)
      })
    const [long] = yield* normal(pieces(100_000))
    const [short] = yield* normal(pieces(777))
    expect(short).toEqual(long)
    const chunks = (long?.events ?? []).flatMap((event) => event._tag === "ShellOutputChunks" ? event.chunks : [])
    expect(chunks.map(({ content }) => content).join("")).toBe(text)
    expect(Math.max(...chunks.map(({ content = "" }) => content.length))).toBeLessThanOrEqual(maxEntryLength)
    expect(long?.exec.commandId).toMatch(/^make-[0-9a-f]{8}-1$/)
    expect(long?.events.at(-1)).toMatchObject({ duration: 0, completed: 0, exitCode: 2 })
  }))
