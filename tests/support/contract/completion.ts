import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Shell } from "@sluice/shell"
import { eventually, pause, settled } from "../eventually.ts"
import { workshop } from "../workshop.ts"
import { awaitFile, type Part, run, sh, startMillis, textOf, whole } from "./target.ts"

export const completion: Part = (test, { buffers = 0, can }) => {
  if (can.background !== false) {
    test("does not wait for a process left behind that holds the pipe, and loses nothing", () =>
      Effect.gen(function* () {
        for (const streamOutput of [true, false]) {
          const { chunks, output } = yield* run(sh("sleep 100 & echo done; echo err >&2", { streamOutput }))
          expect(output.drain).toBe("cut")
          expect(output.exitCode).toBe(0)
          expect(output.duration).toBeLessThan(50_000)
          expect(streamOutput ? textOf(chunks) : output.stdout).toBe("done\n")
          expect(streamOutput ? textOf(chunks, "stderr") : output.stderr).toBe("err\n")
        }
      }))

    test("continues to read a background process that writes without a pause", () =>
      Effect.gen(function* () {
        const script = "(for i in 1 2 3 4 5 6; do echo $i; sleep 0.05; done) & exit 0"
        expect(yield* whole(sh(script))).toMatchObject({ stdout: "1\n2\n3\n4\n5\n6\n", drain: "eof" })
      }), { drainGrace: "1 second" })
  }

  test("loses nothing of a program that writes much and exits at once, however slow the consumer", () =>
    Effect.gen(function* () {
      for (const millis of [0, 15]) {
        let length = 0
        const last = yield* Shell.exec(sh("head -c 1000000 /dev/zero | tr '\\0' x")).pipe(
          Stream.tap((event) => {
            if (event._tag === "ShellOutputChunk") length += event.content.length
            return pause(millis)
          }),
          Stream.runLast,
        )
        expect(length).toBe(1_000_000)
        expect(last).toMatchObject({ value: { drain: "eof", stdoutBytes: 1_000_000 } })
      }
    }))

  test("does not take silence before the exit for the end", () =>
    Effect.gen(function* () {
      const { chunks, output } = yield* run(
        sh("printf a; sleep 0.3; printf b; sleep 0.3; echo c; exec >&- 2>&-; sleep 0.3; exit 9"),
      )
      expect([textOf(chunks), output.exitCode, output.drain]).toEqual(["abc\n", 9, "eof"])
    }))

  if (!can.backPressure) return

  test("blocks a command while its output is not pulled", () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      // 64 KiB at a time, and a dot for each that was taken.
      const script = `i=0; while [ $i -lt 200 ]; do head -c 65536 /dev/zero; printf . >> '${path("progress")}'; ` +
        "i=$((i + 1)); done"
      let bytes = 0
      let held: number | undefined
      yield* Shell.bytes(sh(script)).pipe(
        Stream.tap((event) =>
          Effect.gen(function* () {
            if (event._tag !== "ShellBytes") return
            bytes += event.bytes.length
            held ??= yield* settled(() => size("progress"))
          })
        ),
        Stream.runDrain,
      )
      // Two pipes or sockets and a buffer of the runtime lie between.
      expect(held).toBeLessThan(20 + buffers)
      expect(bytes).toBe(200 * 65_536)
      expect(size("progress")).toBe(200)
    }))

  test("does not count time without a pull as silence of the command", () =>
    Effect.gen(function* () {
      const { path, write } = yield* workshop
      let first = true
      const last = yield* Shell.exec(
        sh(`echo a; ${awaitFile(path("gate"))}; echo b`, { idleTimeout: startMillis(can, 300) }),
      )
        .pipe(
          Stream.tap(() => {
            if (!first) return Effect.void
            first = false
            return Effect.andThen(pause(startMillis(can, 300) + 400), Effect.sync(() => void write("gate", "")))
          }),
          Stream.runLast,
        )
      expect(last).toMatchObject({ value: { exitCode: 0 } })
    }))

  if (can.background !== false) {
    test("leaves background processes alone after the run", () =>
      Effect.gen(function* () {
        const { path, exists, read, write } = yield* workshop
        yield* run(sh(`(${awaitFile(path("gate"))}; echo alive > '${path("later")}') >/dev/null 2>&1 & exit 0`))
        write("gate", "")
        yield* eventually("the process left behind goes on", () => exists("later") && read("later") === "alive\n")
      }))
  }
}
