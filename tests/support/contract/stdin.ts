import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { Shell, ShellExec } from "@sluice/shell"
import { eventually, settled } from "../eventually.ts"
import { workshop } from "../workshop.ts"
import { awaitFile, faultOf, type Part, run, sh, textOf, whole } from "./target.ts"

const piece = new Uint8Array(65_536).fill(0x61)

/** Pieces without end, and how many were taken. */
const counted = () => {
  const seen = { taken: 0, ended: false }
  const stream = Stream.make(piece).pipe(
    Stream.forever,
    Stream.tap(() => Effect.sync(() => void seen.taken++)),
    Stream.ensuring(Effect.sync(() => void (seen.ended = true))),
  )
  return { seen, stream }
}

export const stdin: Part = (test, { buffers = 0, can }) => {
  test("closes stdin when there is no input", () =>
    Effect.gen(function* () {
      const { exitCode, stdout } = yield* whole(ShellExec.make("cat"))
      expect([exitCode, stdout]).toEqual([0, ""])
    }))

  test("writes text, bytes and secrets to stdin, and closes it", () =>
    Effect.gen(function* () {
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
      const secret = can.secretWords === false ? "hunter2" : Redacted.make("hunter2")
      expect((yield* whole(sh("cat", { input: "é€😀\r\n" }))).stdout).toBe("é€😀\r\n")
      expect((yield* whole(sh("cat", { input: "" }))).stdout).toBe("")
      const shown = can.secrets === false ? "<redacted>" : "hunter2"
      expect((yield* whole(sh("cat", { input: secret }))).stdout).toBe(shown)
      expect((yield* whole(sh("cat", { input: bytes, encoding: "latin1" }))).stdoutBytes).toBe(256)
      expect((yield* whole(sh("od -An -tx1 | tr -d ' \\n' | cut -c1-8", { input: bytes }))).stdout).toBe("00010203\n")
    }))

  test("writes a large input while it reads the output", () =>
    Effect.gen(function* () {
      const input = "0123456789abcde\n".repeat(200_000)
      const { chunks } = yield* run(sh("cat", { input }))
      expect(textOf(chunks) === input).toBe(true)
    }))

  if (can.stdinStreams === false) return

  test("writes a stream of bytes to stdin, in preference to the command's own input", () =>
    Effect.gen(function* () {
      const words = ["one ", "", "two ", "three"].map((word) => new TextEncoder().encode(word))
      const { stdout } = yield* whole(sh("cat", { input: "not this" }), { stdin: Stream.fromIterable(words) })
      expect(stdout).toBe("one two three")
    }))

  test("accepts a reader that closes stdin early, and stops its source", () =>
    Effect.gen(function* () {
      const input = "line\n".repeat(2_000_000)
      const byValue = yield* run(sh("head -n 1", { input }))
      expect([byValue.output.exitCode, textOf(byValue.chunks)]).toEqual([0, "line\n"])
      const source = counted()
      const byStream = yield* run(sh("head -c 5"), { stdin: source.stream })
      expect([byStream.output.exitCode, textOf(byStream.chunks)]).toEqual([0, "aaaaa"])
      expect(source.seen.ended).toBe(true)
    }))

  test("ends with the command, whether or not its source emits anything", () =>
    Effect.gen(function* () {
      const { output } = yield* run(sh("exit 4"), { stdin: Stream.never })
      expect(output.exitCode).toBe(4)
    }))

  test("fails when the source fails, and ends the command", () =>
    Effect.gen(function* () {
      const broken = Stream.concat(
        Stream.make(new TextEncoder().encode("so far\n")),
        Stream.fail(new Error("the disk is gone")),
      )
      const fault = yield* faultOf(sh("cat; sleep 20", { grace: "200 millis" }), { stdin: broken })
      expect(fault.reason).toEqual({ _tag: "Unknown", code: "ESTDIN" })
      expect(fault.message).toMatch(/^exec: .*the disk is gone.* \(ESTDIN\)$/)
    }))

  if (can.backPressure) {
    test("pulls the source only as the command reads", () =>
      Effect.gen(function* () {
        const { path, write } = yield* workshop
        const source = counted()
        const exec = sh(`echo up; ${awaitFile(path("gate"))}; head -c 10000000 | wc -c`)
        const running = yield* Effect.forkChild(whole(exec, { stdin: source.stream }))
        yield* eventually("the source is pulled", () => source.seen.taken > 0)
        const taken = yield* settled(() => source.seen.taken)
        // A pipe takes 64 KiB, and what lies between is little.
        expect(taken).toBeLessThan(16 + buffers)
        write("gate", "")
        const { stdout } = yield* Fiber.join(running)
        expect(stdout.trim()).toBe("up\n10000000")
        expect(source.seen.taken).toBeGreaterThan(150)
        expect(source.seen.taken).toBeLessThan(220 + buffers)
      }))
  }

  test("is closed at once with a stream that waits for its command to read", () =>
    Effect.gen(function* () {
      const source = counted()
      const exec = sh("head -c 5; sleep 20")
      const first = yield* Shell.exec(exec, { stdin: source.stream }).pipe(Stream.take(1), Stream.runCollect)
      expect(first).toMatchObject([{ content: "aaaaa" }])
      expect(source.seen.ended).toBe(true)
    }))
}
