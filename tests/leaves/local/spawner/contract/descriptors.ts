import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ChildProcess } from "effect/process"
import { bytes, causeCode, collected, type Part, sh, stdoutOf, text } from "./target.ts"

const { make, pipeTo } = ChildProcess

export const descriptors: Part = (test) => {
  describe("further descriptors", () => {
    test("deliver the output of the process", () =>
      Effect.gen(function* () {
        const handle = yield* sh("echo three >&3; echo five >&5; echo out; echo err >&2", {
          additionalFds: { fd3: { type: "output" }, fd5: { type: "output" } },
        })
        expect([
          yield* text(handle.getOutputFd(5)),
          yield* text(handle.getOutputFd(3)),
          yield* text(handle.stdout),
          yield* text(handle.stderr),
          yield* handle.exitCode,
        ]).toEqual(["five\n", "three\n", "out\n", "err\n", 0])
      }))

    test("are closed where none was named", () =>
      Effect.gen(function* () {
        const handle = yield* sh("echo x 2>/dev/null >&4 || echo none", { additionalFds: { fd5: { type: "output" } } })
        expect(yield* text(handle.stdout)).toBe("none\n")
      }))

    test("take a stream", () =>
      Effect.gen(function* () {
        const handle = yield* sh("cat <&3", {
          additionalFds: { fd3: { type: "input", stream: bytes("in ", "three") } },
        })
        expect([yield* text(handle.stdout), yield* handle.exitCode]).toEqual(["in three", 0])
      }))

    test("are written to through the handle, and closed at the end of the stream", () =>
      Effect.gen(function* () {
        const handle = yield* sh("cat <&3 | tr a-z A-Z >&4", {
          additionalFds: { fd3: { type: "input" }, fd4: { type: "output" } },
        })
        yield* Stream.run(bytes("there and back"), handle.getInputFd(3))
        expect(yield* text(handle.getOutputFd(4))).toBe("THERE AND BACK")
      }))

    test("carry much in both directions", () =>
      Effect.gen(function* () {
        const piece = new Uint8Array(100_000).fill(65)
        const handle = yield* sh("cat <&3 >&4", {
          additionalFds: {
            fd3: { type: "input", stream: Stream.range(1, 30).pipe(Stream.map(() => piece)) },
            fd4: { type: "output" },
          },
        })
        expect((yield* text(handle.getOutputFd(4))).length).toBe(3_000_000)
      }))

    test("go through a sink", () =>
      Effect.gen(function* () {
        const counted = collected((all) => `${all.length} bytes`)
        const handle = yield* sh("printf 12345 >&3", { additionalFds: { fd3: { type: "output", sink: counted } } })
        expect(yield* text(handle.getOutputFd(3))).toContain("5 bytes")
      }))

    test("are empty, and accept everything, if they were not requested", () =>
      Effect.gen(function* () {
        const handle = yield* sh("echo x >&3", { additionalFds: { fd3: { type: "output" } } })
        yield* Stream.run(bytes("nobody"), handle.getInputFd(3))
        yield* Stream.run(bytes("nobody"), handle.getInputFd(7))
        expect([yield* text(handle.getOutputFd(3)), yield* text(handle.getOutputFd(7))]).toEqual(["x\n", ""])
      }))

    test("answer on the one they were asked on, after its input has ended", () =>
      Effect.gen(function* () {
        const handle = yield* sh('request=$(cat <&3); echo "pong:$request" >&3', {
          additionalFds: { fd3: { type: "duplex", stream: bytes("ping") } },
        })
        expect([yield* text(handle.getOutputFd(3)), yield* handle.exitCode]).toEqual(["pong:ping\n", 0])
      }))

    test("answer line by line while their input stays open", () =>
      Effect.gen(function* () {
        const handle = yield* sh('while read line; do echo "$line!" >&3; done <&3', {
          additionalFds: { fd3: { type: "duplex", stream: Stream.concat(bytes("a\n", "b\n"), Stream.never) } },
        })
        const lines = handle.getOutputFd(3).pipe(Stream.decodeText(), Stream.splitLines)
        expect(yield* Stream.runCollect(Stream.take(lines, 2))).toEqual(["a!", "b!"])
      }))

    test("are the ends of a pipeline if configured", () =>
      Effect.gen(function* () {
        const three = sh("echo from three >&3", { additionalFds: { fd3: { type: "output" } } })
        expect(yield* stdoutOf(three.pipe(pipeTo(make("cat"), { from: "fd3" })))).toBe("from three\n")
        expect(yield* stdoutOf(make`echo to three`.pipe(pipeTo(sh("cat <&3"), { to: "fd3" })))).toBe("to three\n")
        const duplex = sh('request=$(cat <&3); echo "pong:$request" >&3', {
          additionalFds: { fd3: { type: "duplex" } },
        })
        const handle = yield* make`echo ping`.pipe(pipeTo(duplex, { to: "fd3" }))
        expect(yield* text(handle.getOutputFd(3))).toBe("pong:ping\n")
      }))

    test("report a break to writers and later readers only", () =>
      Effect.gen(function* () {
        const handle = yield* sh("exec 3>&-; echo closed; exec sleep 30", {
          additionalFds: { fd3: { type: "duplex" } },
        })
        yield* Stream.runDrain(Stream.take(handle.stdout, 1))
        const written = yield* Effect.flip(Stream.run(bytes("x"), handle.getInputFd(3)))
        yield* Effect.sleep("50 millis")
        const read = yield* Effect.flip(Stream.runDrain(handle.getOutputFd(3)))
        expect([written, read].map((error) => [error.reason._tag, error.reason.method])).toEqual([
          ["Unknown", "fromWritable(fd3)"],
          ["Unknown", "fromReadable(fd3)"],
        ])
        // Bun may have seen the end of the socket before it writes.
        expect([causeCode(written), ["EPIPE", "ERR_SOCKET_CLOSED"].includes(String(causeCode(read)))]).toEqual([
          "EPIPE",
          true,
        ])
        expect(yield* handle.isRunning).toBe(true)
      }))

    test("fail the exit code when their stream fails", () =>
      Effect.gen(function* () {
        const failure = yield* Effect.flip(make("no-such-program"))
        const handle = yield* sh("cat <&3; sleep 30", {
          additionalFds: { fd3: { type: "input", stream: Stream.fail(failure) } },
        })
        expect(yield* Effect.flip(handle.exitCode)).toBe(failure)
      }))
  })
}
