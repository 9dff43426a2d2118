import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Chunking, Shell, type ShellExec, type ShellOutputChunk } from "@sluice/shell"
import type { LeafRunOptions } from "@sluice/shell/leaf"
import { pause } from "../eventually.ts"
import { workshop } from "../workshop.ts"
import { awaitFile, type Part, run, sh, startMillis, textOf } from "./target.ts"

/** Runs a command, and opens the gate it waits for when a chunk says so. */
const gated = (
  exec: ShellExec,
  open: (chunk: ShellOutputChunk) => Effect.Effect<void>,
  options?: LeafRunOptions,
): Effect.Effect<ReadonlyArray<ShellOutputChunk>, unknown, Shell> =>
  Shell.exec(exec, options).pipe(
    Stream.tap((event) => event._tag === "ShellOutputChunk" ? open(event) : Effect.void),
    Stream.runCollect,
    Effect.map((events) => events.filter((event) => event._tag === "ShellOutputChunk")),
  )

const contents = (chunks: ReadonlyArray<ShellOutputChunk>, stream: "stdout" | "stderr" = "stdout") =>
  chunks.filter((chunk) => chunk.stream === stream).map((chunk) => chunk.content)

export const chunks: Part = (test, { can }) => {
  test("cuts chunks at the ends of lines, and numbers them across both streams", () =>
    Effect.gen(function* () {
      const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n + 1}\n`).join("")
      const patient = { chunking: Chunking.hybrid("30 seconds") }
      // BusyBox has no `seq -f`.
      const script = "seq 1 20000 | sed 's/^/line /'; seq 1 20000 | sed 's/^/line /' >&2"
      const { chunks } = yield* run(sh(script), patient)
      expect(textOf(chunks, "stdout")).toBe(lines)
      expect(textOf(chunks, "stderr")).toBe(lines)
      expect(chunks.filter(({ content }) => !content.endsWith("\n"))).toEqual([])
      expect(chunks.map(({ seq }) => seq)).toEqual(chunks.map((_, index) => index))
      expect(chunks.length).toBeLessThan(2_000)
    }))

  test("keeps carriage returns and a byte-order mark unchanged", () =>
    Effect.gen(function* () {
      const { chunks } = yield* run(sh("printf '\\357\\273\\277a\\r\\nb\\rc\\r\\n'"))
      expect(textOf(chunks)).toBe("\uFEFFa\r\nb\rc\r\n")
    }))

  test("emits the last line also without a line end", () =>
    Effect.gen(function* () {
      const { chunks } = yield* run(sh("printf 'a\\nb'"))
      expect(contents(chunks)).toEqual(["a\n", "b"])
    }))

  test("cuts chunks of exact sizes with Chunking.size, never inside a character", () =>
    Effect.gen(function* () {
      const { chunks } = yield* run(sh("printf 'abcdefgh\\nij😀k'"), { chunking: Chunking.size(4) })
      expect(contents(chunks)).toEqual(["abcd", "efgh", "\nij", "😀k"])
    }))

  test("cuts only at line ends with Chunking.line, up to its maximum length", () =>
    Effect.gen(function* () {
      const { chunks } = yield* run(sh("head -c 1000000 /dev/zero | tr '\\0' x; echo; echo y"), {
        chunking: Chunking.line(30_000),
      })
      expect(textOf(chunks)).toBe(`${"x".repeat(1_000_000)}\ny\n`)
      expect(Math.max(...chunks.map(({ content }) => content.length))).toBeLessThan(400_000)
    }))

  if (!can.files) return

  test("lets a partial line wait for 100 ms and no longer", () =>
    Effect.gen(function* () {
      const { path, write } = yield* workshop
      const exec = sh(`printf 'Password: '; ${awaitFile(path("gate"))}; echo ok`)
      const chunks = yield* gated(exec, () => Effect.sync(() => void write("gate", "")))
      expect(contents(chunks)).toEqual(["Password: ", "ok\n"])
    }))

  test("lets a partial line wait no longer because the other stream goes on", () =>
    Effect.gen(function* () {
      const { path, write } = yield* workshop
      const script = `printf 'Password: '; i=0; while [ ! -e '${path("gate")}' ] && [ $i -lt 500 ]; do ` +
        "echo tick >&2; sleep 0.03; i=$((i + 1)); done; echo ok"
      const chunks = yield* gated(
        sh(script),
        ({ stream }) => Effect.sync(() => void (stream === "stdout" && write("gate", ""))),
      )
      expect(contents(chunks)).toEqual(["Password: ", "ok\n"])
      expect(textOf(chunks, "stderr").length / 5).toBeLessThan(100)
    }))

  test("holds a partial line until its end with Chunking.line", () =>
    Effect.gen(function* () {
      const { path, write } = yield* workshop
      const exec = sh(`printf a; echo now >&2; ${awaitFile(path("gate"))}; echo b`)
      const open = () => Effect.andThen(pause(300), Effect.sync(() => void write("gate", "")))
      const chunks = yield* gated(exec, open, { chunking: Chunking.line() })
      expect(contents(chunks)).toEqual(["ab\n"])
    }))

  test("cuts by time with Chunking.time, anywhere in a line", () =>
    Effect.gen(function* () {
      const { path, write } = yield* workshop
      // One write: between two any time may pass.
      const exec = sh(`printf 'a\\nb'; ${awaitFile(path("gate"))}; echo c`)
      const chunks = yield* gated(exec, () => Effect.sync(() => void write("gate", "")), {
        chunking: Chunking.time(startMillis(can, 200)),
      })
      expect(contents(chunks)).toEqual(["a\nb", "c\n"])
    }))
}
