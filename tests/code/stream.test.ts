/** Tests `Code.stream`: the output of code as it arrives. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { LocalShell, type ShellOutputChunk, Window } from "@sluice/shell"
import * as Code from "@sluice/shell/code"
import { MockRun, MockShell } from "@sluice/shell/testing"
import { eventually, settled } from "../support/eventually.ts"
import { heartbeat } from "../support/heartbeat.ts"
import { workshop } from "../support/workshop.ts"
import { bash } from "./support.ts"

type Event = ShellOutputChunk | Code.CodeOutput

const isChunk = (event: Event): event is ShellOutputChunk => event._tag === "ShellOutputChunk"

const textOf = (events: Iterable<Event>, stream: "stdout" | "stderr"): string =>
  [...events].filter(isChunk).filter((chunk) => chunk.stream === stream).map(({ content }) => content).join("")

const stream = (request: Code.CodeInput, options?: Code.CodeOptions) =>
  Stream.provide(Code.stream(request, options), LocalShell.layer)

/** What came before a stream failed, and the error. */
const failed = <R>(events: Stream.Stream<Event, Code.CodeError, R>) =>
  Effect.gen(function* () {
    const before: Array<Event> = []
    const error = yield* Effect.flip(Stream.runForEach(events, (event) => Effect.sync(() => before.push(event))))
    return { before, error }
  })

describe("Code.stream", { concurrent: true }, () => {
  it.live("gives output while the code runs, numbered, and its end last", () =>
    Effect.gen(function* () {
      const { path, write } = yield* workshop
      const code = `echo first; until [ -e '${path("seen")}' ]; do sleep 0.02; done; echo second; echo err >&2`
      const events = yield* stream(bash(code)).pipe(
        // The code goes on only when its first line was seen.
        Stream.tap((event) => Effect.sync(() => isChunk(event) && event.seq === 0 && write("seen", ""))),
        Stream.runCollect,
      )
      const chunks = events.filter(isChunk)
      expect(chunks[0]).toMatchObject({ stream: "stdout", content: "first\n", seq: 0 })
      expect(chunks.map(({ seq }) => seq)).toEqual(chunks.map((_, index) => index))
      expect([textOf(events, "stdout"), textOf(events, "stderr")]).toEqual(["first\nsecond\n", "err\n"])
      expect(events.at(-1)).toMatchObject({ _tag: "CodeOutput", exitCode: 0, stdout: "", stdoutBytes: 13 })
    }))

  it.live("omits nothing, whatever the size", () =>
    Effect.gen(function* () {
      const sizes = stream(bash("head -c 5000000 /dev/zero | tr '\\0' x")).pipe(
        Stream.map((event) => isChunk(event) ? event.content.length : 0),
        Stream.runFold(() => 0, (sum, size) => sum + size),
      )
      expect(yield* sizes).toBe(5_000_000)
    }))

  it.effect("cuts no character in two, in whatever pieces it comes", () =>
    Effect.gen(function* () {
      const events = yield* Stream.runCollect(Code.stream(bash("any")))
      expect(events.filter(isChunk).map(({ content }) => content)).toEqual(["a", "😀é", "\ufeff"])
    }).pipe(
      Effect.provide(MockShell.layer([
        MockShell.on(
          "bash",
          ...[[0x61, 0xf0], [0x9f], [0x98], [0x80, 0xc3, 0xa9, 0xef], [0xbb, 0xbf]].map((bytes) =>
            MockRun.stdout(Uint8Array.from(bytes))
          ),
        ),
      ])),
    ))

  it.live("fails as run does, after all earlier output", () =>
    Effect.gen(function* () {
      const { before, error } = yield* failed(stream(bash("echo out; exit 7")))
      expect(textOf(before, "stdout")).toBe("out\n")
      expect(error).toMatchObject({
        _tag: "ExecutionError",
        reason: { _tag: "Exited", exitCode: 7 },
        message: "exec: Process exited with 7 (EXIT)",
        stdout: "",
        stdoutBytes: 4,
      })
      const late = yield* failed(stream(bash("echo out; sleep 60", { timeout: "1 second" })))
      expect(textOf(late.before, "stdout")).toBe("out\n")
      expect(late.error.message).toBe("exec: Process timeout after 1s (TIMEOUT)")
      expect((yield* failed(stream({ language: "none", code: "" }))).error._tag).toBe("PreExecutionError")
    }))

  it.live("stops where output is no longer text, and ends the code", () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const beat = heartbeat(path("heartbeat"))
      const code = `echo text; until [ -s '${path("heartbeat")}' ]; do sleep 0.02; done; printf 'a\\xffb'; wait`
      const { before, error } = yield* failed(stream(bash(`(${beat}) & ${code}`, { grace: "200 millis" })))
      expect(textOf(before, "stdout")).toBe("text\na")
      expect(error).toMatchObject({ _tag: "ResourceError", reason: { _tag: "BinaryOutput", offset: 6 } })
      const beats = size("heartbeat")
      expect(beats).toBeGreaterThan(0)
      expect(yield* settled(() => size("heartbeat"))).toBe(beats)
    }))

  it.live("reports an incomplete last character", () =>
    Effect.gen(function* () {
      const { before, error } = yield* failed(stream(bash("printf 'a\\xe2\\x82'")))
      expect(textOf(before, "stdout")).toBe("a")
      expect(error).toMatchObject({ reason: { _tag: "BinaryOutput", stream: "stdout", offset: 1 }, exitCode: 0 })
    }))

  it.live("ends the whole tree when enough was taken", () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const code = `(${heartbeat(path("heartbeat"))}) & while :; do echo more; sleep 0.05; done`
      const taken = yield* stream(bash(code, { grace: "200 millis" })).pipe(Stream.take(3), Stream.runCollect)
      expect(taken).toHaveLength(3)
      const beats = size("heartbeat")
      expect(yield* settled(() => size("heartbeat"))).toBe(beats)
    }))

  it.live("slows the code down to its reader", () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const code = `while :; do printf '%065535d\\n' 0; printf x >> '${path("turns")}'; done`
      const reading = yield* Effect.forkChild(Stream.runForEach(stream(bash(code)), () => Effect.never))
      yield* eventually("it has begun", () => size("turns") > 0)
      const held = yield* settled(() => size("turns"))
      yield* Fiber.interrupt(reading)
      expect(held).toBeLessThan(64)
    }))

  it.effect("has the time of the program's clock, and goes into windows", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      const events = yield* Code.stream(bash("any")).pipe(
        Stream.filter(isChunk),
        Window.apply(Window.lineCount(2)),
        Stream.runCollect,
      )
      expect(events).toMatchObject([
        { _tag: "Window", content: "1\n2\n", fromTime: 1_000 },
        { _tag: "Window", content: "3\n", toTime: 1_000 },
      ])
    }).pipe(
      Effect.provide(MockShell.layer([
        MockShell.on("bash", MockRun.stdout("1\n"), MockRun.stdout("2\n"), MockRun.stdout("3\n")),
      ])),
    ))
})
