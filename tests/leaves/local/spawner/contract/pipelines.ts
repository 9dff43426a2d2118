import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ChildProcess } from "effect/process"
import { eventually } from "../../../../support/eventually.ts"
import { heartbeat } from "../../../../support/heartbeat.ts"
import { workshop } from "../../../../support/workshop.ts"
import { bytes, type Part, sh, stdoutOf, text } from "./target.ts"

const { make, pipeTo } = ChildProcess

const upper = make("tr", ["a-z", "A-Z"])

export const pipelines: Part = (test, { does }) => {
  describe("a pipeline", () => {
    test("passes stdout on over any number of stages", () =>
      Effect.gen(function* () {
        expect(yield* stdoutOf(make`echo hello world`.pipe(pipeTo(upper)))).toBe("HELLO WORLD\n")
        const dashed = make`echo hello world`.pipe(pipeTo(upper), pipeTo(make("tr", [" ", "-"])))
        expect(yield* stdoutOf(dashed)).toBe("HELLO-WORLD\n")
      }))

    test("may be made of pipelines", () =>
      Effect.gen(function* () {
        const right = make("tr", ["a", "b"]).pipe(pipeTo(make("tr", ["b", "c"])))
        expect(yield* stdoutOf(make`echo a`.pipe(pipeTo(right)))).toBe("c\n")
      }))

    test("passes on the configured output", () =>
      Effect.gen(function* () {
        const both = sh("echo out; sleep 0.05; echo err >&2")
        const through = (options: ChildProcess.PipeOptions) => stdoutOf(both.pipe(pipeTo(make("cat"), options)))
        expect(yield* through({})).toBe("out\n")
        expect(yield* through({ from: "stdout", to: "stdin" })).toBe("out\n")
        expect(yield* through({ from: "stderr" })).toBe("err\n")
        expect((yield* through({ from: "all" })).split("\n").toSorted()).toEqual(["", "err", "out"])
      }))

    test("connects stdout to stdin for unknown names", () =>
      Effect.gen(function* () {
        const odd = sh("echo out; echo err >&2").pipe(pipeTo(make("cat"), { from: "fd2", to: "fd1" }))
        expect(yield* stdoutOf(odd)).toBe("out\n")
      }))

    test("reads its input with its first command, and gives the output and exit code of its last", () =>
      Effect.gen(function* () {
        const handle = yield* sh("cat; exit 3").pipe(pipeTo(sh("cat; echo err >&2; exit 4")))
        yield* Stream.run(bytes("in"), handle.stdin)
        expect([yield* text(handle.stdout), yield* text(handle.stderr), yield* handle.exitCode]).toEqual([
          "in",
          "err\n",
          4,
        ])
      }))

    test("moves much, whole", () =>
      Effect.gen(function* () {
        const count = make("head", ["-c", "5000000", "/dev/zero"]).pipe(
          pipeTo(make("cat")),
          pipeTo(make("wc", ["-c"])),
        )
        expect((yield* stdoutOf(count)).trim()).toBe("5000000")
      }))

    test("is not blocked by the stderr of a stage", () =>
      Effect.gen(function* () {
        const chatty = sh("head -c 150000 /dev/zero >&2; echo done").pipe(pipeTo(make("cat")))
        expect(yield* stdoutOf(chatty)).toBe("done\n")
      }))

    test("ends with its last command even if the first is endless", () =>
      Effect.gen(function* () {
        expect(yield* stdoutOf(make("yes").pipe(pipeTo(make("head", ["-n", "2"]))))).toBe("y\ny\n")
      }))

    if (does.endsWriters) {
      test("ends a command that writes to one that reads no longer", () =>
        Effect.gen(function* () {
          const { exists, path } = yield* workshop
          const first = sh(`while echo y; do :; done 2>/dev/null; echo ended > '${path("ended")}'`)
          // The signal would end the shell before it can tell.
          const told = sh(`trap "" PIPE; ${first.args[1]}`)
          const handle = yield* told.pipe(pipeTo(make("head", ["-n", "1"])))
          expect(yield* handle.exitCode).toBe(0)
          yield* eventually("the first command has ended", () => exists("ended"))
        }))
    }

    test("is killed with all its commands", () =>
      Effect.gen(function* () {
        const { path, size } = yield* workshop
        const stage = (name: string) => sh(heartbeat(path(name)))
        const handle = yield* stage("first").pipe(pipeTo(stage("second")), pipeTo(stage("third")))
        const sizes = () => ["first", "second", "third"].map(size)
        yield* eventually("all processes run", () => sizes().every((count) => count > 2))
        yield* handle.kill()
        const last = sizes()
        yield* Effect.sleep("200 millis")
        expect(sizes()).toEqual(last)
        expect(yield* handle.isRunning).toBe(false)
      }))

    test("fails with its command that cannot be started, and leaves none running", () =>
      Effect.gen(function* () {
        const { path, size } = yield* workshop
        const first = sh(heartbeat(path("heartbeat")))
        const error = yield* Effect.flip(Effect.scoped(first.pipe(pipeTo(make("no-such-program")))))
        expect(error.reason._tag).toBe("NotFound")
        const last = size("heartbeat")
        yield* Effect.sleep("200 millis")
        expect(size("heartbeat")).toBe(last)
      }))
  })
}
