import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as PlatformError from "effect/PlatformError"
import * as Stream from "effect/Stream"
import { ChildProcess } from "effect/process"
import { bytes, causeCode, type Part, sh, stdoutOf, text } from "./target.ts"

const failure = PlatformError.badArgument({ module: "Test", method: "input", description: "it broke" })

export const input: Part = (test) => {
  describe("input", () => {
    test("is a stream, given with the command", () =>
      Effect.gen(function* () {
        const shout = ChildProcess.make("tr", ["a-z", "A-Z"], { stdin: bytes("a b", " c\n") })
        expect(yield* stdoutOf(shout)).toBe("A B C\n")
      }))

    test("is written to the handle, and closed at the end of the stream", () =>
      Effect.gen(function* () {
        const handle = yield* ChildProcess.make("cat")
        yield* Stream.run(bytes("one ", "two"), handle.stdin)
        expect([yield* text(handle.stdout), yield* handle.exitCode]).toEqual(["one two", 0])
      }))

    test("stays open until it is closed", () =>
      Effect.gen(function* () {
        const handle = yield* sh("read line || echo closed; echo got $line")
        yield* Effect.sleep("100 millis")
        expect(yield* handle.isRunning).toBe(true)
        yield* Stream.run(bytes("x\n"), handle.stdin)
        expect(yield* text(handle.stdout)).toBe("got x\n")
      }))

    test("stays open for more if configured", () =>
      Effect.gen(function* () {
        const handle = yield* ChildProcess.make("head", ["-n", "2"], { stdin: { stream: "pipe", endOnDone: false } })
        yield* Stream.run(bytes("a\n"), handle.stdin)
        yield* Stream.run(bytes("b\n"), handle.stdin)
        expect([yield* text(handle.stdout), yield* handle.exitCode]).toEqual(["a\nb\n", 0])
      }))

    test("that is ignored is empty, and accepts every write", () =>
      Effect.gen(function* () {
        const handle = yield* ChildProcess.make("cat", [], { stdin: "ignore" })
        yield* Stream.run(bytes("nobody reads this"), handle.stdin)
        expect([yield* text(handle.stdout), yield* handle.exitCode]).toEqual(["", 0])
      }))

    test("may have any length", () =>
      Effect.gen(function* () {
        const piece = new Uint8Array(100_000)
        const count = ChildProcess.make("wc", ["-c"], { stdin: Stream.range(1, 30).pipe(Stream.map(() => piece)) })
        expect((yield* stdoutOf(count)).trim()).toBe("3000000")
      }))

    test("is pulled as the process reads", () =>
      Effect.gen(function* () {
        let pulled = 0
        const endless = Stream.range(1, 1_000).pipe(
          Stream.rechunk(1),
          Stream.map(() => {
            pulled++
            return new Uint8Array(65_536)
          }),
        )
        const handle = yield* ChildProcess.make("sleep", ["30"], { stdin: endless })
        yield* Effect.sleep("300 millis")
        yield* handle.kill({ killSignal: "SIGKILL" })
        expect(pulled).toBeGreaterThan(0)
        expect(pulled).toBeLessThan(64)
      }))

    test("without a reader fails the writer, not the process", () =>
      Effect.gen(function* () {
        const handle = yield* sh("exec <&-; echo closed; sleep 0.3")
        yield* Stream.runDrain(Stream.take(handle.stdout, 1))
        const error = yield* Effect.flip(Stream.run(bytes("x"), handle.stdin))
        expect([error.reason._tag, error.reason.method, causeCode(error)]).toEqual([
          "Unknown",
          "fromWritable(stdin)",
          "EPIPE",
        ])
        expect(yield* handle.exitCode).toBe(0)
      }))

    test("that was closed takes nothing more", () =>
      Effect.gen(function* () {
        const handle = yield* ChildProcess.make("cat")
        yield* Stream.run(bytes("x"), handle.stdin)
        const error = yield* Effect.flip(Stream.run(bytes("y"), handle.stdin))
        expect([error.reason._tag, error.reason.method]).toEqual(["Unknown", "fromWritable(stdin)"])
      }))

    test("a stream that a command does not read to its end is no failure", () =>
      Effect.gen(function* () {
        const yes = Stream.forever(bytes("y\n"))
        const handle = yield* ChildProcess.make("head", ["-n", "2"], { stdin: yes })
        expect([yield* text(handle.stdout), yield* handle.exitCode]).toEqual(["y\ny\n", 0])
      }))

    test("a writer that waits when the process ends gets an error", () =>
      Effect.gen(function* () {
        const handle = yield* ChildProcess.make("sleep", ["0.1"])
        const error = yield* Effect.flip(Stream.run(Stream.never, handle.stdin))
        expect([error.reason._tag, error.reason.method, causeCode(error)]).toEqual([
          "Unknown",
          "fromWritable(stdin)",
          "ERR_STREAM_PREMATURE_CLOSE",
        ])
      }))

    test("a writer that is interrupted closes it", () =>
      Effect.gen(function* () {
        const handle = yield* ChildProcess.make("cat")
        const writing = yield* Effect.forkChild(Stream.run(Stream.concat(bytes("begun"), Stream.never), handle.stdin))
        expect(yield* text(Stream.take(handle.stdout, 1))).toBe("begun")
        yield* Fiber.interrupt(writing)
        expect(yield* handle.exitCode).toBe(0)
      }))

    test("a stream that fails closes it, and is the failure of the exit code", () =>
      Effect.gen(function* () {
        const broken = Stream.concat(bytes("A"), Stream.fail(failure))
        const handle = yield* ChildProcess.make("cat", [], { stdin: broken })
        expect(yield* Effect.flip(handle.exitCode)).toBe(failure)
        expect(yield* text(Stream.take(handle.stdout, 1))).toBe("A")
      }))

    test("a stream that fails does not have to wait for the process", () =>
      Effect.gen(function* () {
        const handle = yield* ChildProcess.make("sleep", ["30"], { stdin: Stream.fail(failure) })
        expect(yield* Effect.flip(handle.exitCode)).toBe(failure)
        expect(yield* handle.isRunning).toBe(true)
      }))
  })
}
