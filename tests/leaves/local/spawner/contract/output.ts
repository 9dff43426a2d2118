import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { eventually, settled } from "../../../../support/eventually.ts"
import { workshop } from "../../../../support/workshop.ts"
import { collected, type Part, sh, stdoutOf, text } from "./target.ts"

export const output: Part = (test, { does }) => {
  describe("output", () => {
    test("separates stdout and stderr", () =>
      Effect.gen(function* () {
        const handle = yield* sh("echo out; echo err >&2")
        const [stdout, stderr] = yield* Effect.all([text(handle.stdout), text(handle.stderr)], {
          concurrency: "unbounded",
        })
        expect([stdout, stderr, yield* handle.exitCode]).toEqual(["out\n", "err\n", 0])
      }))

    test("merges both into one stream, each in its own order", () =>
      Effect.gen(function* () {
        const handle = yield* sh("for i in 1 2 3; do echo out$i; sleep 0.02; echo err$i >&2; sleep 0.02; done")
        const lines = (yield* text(handle.all)).trimEnd().split("\n")
        expect(lines.filter((line) => line.startsWith("out"))).toEqual(["out1", "out2", "out3"])
        expect(lines.filter((line) => line.startsWith("err"))).toEqual(["err1", "err2", "err3"])
        expect(lines).toHaveLength(6)
      }))

    test("can be read after the process has ended", () =>
      Effect.gen(function* () {
        const handle = yield* sh("echo out; echo err >&2; exit 3")
        expect(yield* handle.exitCode).toBe(3)
        expect([yield* text(handle.stderr), yield* text(handle.stdout)]).toEqual(["err\n", "out\n"])
      }))

    test("of more than a pipe holds comes whole", () =>
      Effect.gen(function* () {
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const lines = yield* spawner.lines(ChildProcess.make("seq", ["200000"]))
        expect([lines.length, lines[0], lines.at(-1)]).toEqual([200_000, "1", "200000"])
      }))

    test("ends, once read, with nothing more", () =>
      Effect.gen(function* () {
        const handle = yield* sh("echo once")
        expect([yield* text(handle.stdout), yield* text(handle.stdout)]).toEqual(["once\n", ""])
      }))

    test("that is unread, if small, does not keep a process from ending", () =>
      Effect.gen(function* () {
        // More than the 64 KiB of a pipe, on each of the two.
        const handle = yield* sh("head -c 150000 /dev/zero; head -c 150000 /dev/zero >&2; echo; exit 4")
        expect(yield* handle.exitCode).toBe(4)
        expect((yield* text(handle.stdout)).length).toBe(150_001)
      }))

    test("that is unread does not block the other", () =>
      Effect.gen(function* () {
        expect(yield* stdoutOf(sh("head -c 150000 /dev/zero >&2; echo done"))).toBe("done\n")
      }))

    test("holds a process back that writes faster than it is read", () =>
      Effect.gen(function* () {
        const { path, size } = yield* workshop
        // Writes 64 KiB to stdout for each byte in the file.
        const handle = yield* sh(
          `while :; do head -c 65536 /dev/zero || exit; printf . >> '${path("count")}'; done`,
        )
        yield* Stream.runDrain(Stream.take(handle.stdout, 1))
        yield* eventually("it writes", () => size("count") > 0)
        const written = yield* settled(() => size("count"))
        // Not 2 MiB: whatever is between the two holds less.
        expect(written).toBeLessThan(32)
      }))

    test("goes nowhere when it is ignored", () =>
      Effect.gen(function* () {
        const handle = yield* sh("echo out; echo err >&2; exit 5", { stdout: "ignore", stderr: "ignore" })
        expect([yield* text(handle.stdout), yield* text(handle.stderr), yield* text(handle.all)]).toEqual(["", "", ""])
        expect(yield* handle.exitCode).toBe(5)
      }))

    test("is a pipe when it is called overlapped", () =>
      Effect.gen(function* () {
        const handle = yield* sh("cat; echo err >&2", {
          stdin: "overlapped",
          stdout: "overlapped",
          stderr: "overlapped",
        })
        yield* Stream.run(Stream.make(new Uint8Array([65])), handle.stdin)
        expect([yield* text(handle.stdout), yield* text(handle.stderr)]).toEqual(["A", "err\n"])
      }))

    test("goes through a sink, whose results the stream emits", () =>
      Effect.gen(function* () {
        const shout = collected((all) => `<${all.trim()}>`)
        const handle = yield* sh("echo out; echo err >&2", { stdout: shout, stderr: { stream: shout } })
        const all = yield* text(handle.all)
        expect(all.match(/<\w+>/g)?.toSorted()).toEqual(["<err>", "<out>"])
      }))

    test("may be cut short: the process keeps running", () =>
      Effect.gen(function* () {
        const { exists, path, write } = yield* workshop
        // It waits: a reader that is late would find both lines in one chunk.
        const waits = `until [ -e '${path("go")}' ]; do sleep 0.02; done`
        const handle = yield* sh(`echo ready; ${waits}; echo more; echo over > '${path("over")}'`)
        expect(yield* text(Stream.take(handle.stdout, 1))).toBe("ready\n")
        write("go", "")
        expect(yield* handle.exitCode).toBe(0)
        expect(exists("over")).toBe(true)
      }))

    if (does.readsOn) {
      test("continues where the last reader stopped", () =>
        Effect.gen(function* () {
          const { path, write } = yield* workshop
          const handle = yield* sh(`echo one; until [ -e '${path("go")}' ]; do sleep 0.02; done; echo two`)
          expect(yield* text(Stream.take(handle.stdout, 1))).toBe("one\n")
          write("go", "")
          expect(yield* text(handle.stdout)).toBe("two\n")
        }))

      test("loses nothing to a reader that was interrupted while it waited", () =>
        Effect.gen(function* () {
          const handle = yield* sh("read go; echo late")
          const waiting = yield* Effect.forkChild(Stream.runDrain(handle.all))
          yield* Effect.sleep("50 millis")
          yield* Fiber.interrupt(waiting)
          yield* Stream.run(Stream.make(new Uint8Array([10])), handle.stdin)
          expect(yield* handle.exitCode).toBe(0)
          expect(yield* text(handle.stdout)).toBe("late\n")
        }))
    }
  })

  describe("the service's helpers", () => {
    test("give text, lines and exit codes, and do not wait for unwanted output", () =>
      Effect.gen(function* () {
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const both = sh("echo a; echo b >&2; exit 6")
        expect(yield* spawner.string(both)).toBe("a\n")
        expect((yield* spawner.lines(both, { includeStderr: true })).toSorted()).toEqual(["a", "b"])
        expect(yield* spawner.exitCode(both)).toBe(6)
        expect(yield* spawner.exitCode(sh("head -c 1000000 /dev/zero; exit 7"))).toBe(7)
        expect(yield* spawner.string(sh("head -c 1000000 /dev/zero >&2; echo end"))).toBe("end\n")
      }))

    test("give the exit code of a process whose descendant keeps its output open", () =>
      Effect.gen(function* () {
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        expect(yield* spawner.exitCode(sh("sleep 30 & exit 8"))).toBe(8)
      }))

    test("bring lines while the command runs", () =>
      Effect.gen(function* () {
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const first = spawner.streamLines(sh("echo first; sleep 30")).pipe(Stream.take(1), Stream.runCollect)
        expect(yield* first).toEqual(["first"])
      }))
  })
}
