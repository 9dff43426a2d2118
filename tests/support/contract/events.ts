import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ShellExec, ShellOutput, ShellOutputChunk } from "@sluice/shell"
import { atMost } from "../atMost.ts"
import { type Part, run, sh, textOf, whole } from "./target.ts"

const signals = [["HUP", 129], ["INT", 130], ["KILL", 137], ["USR1", 138], ["PIPE", 141], ["TERM", 143]] as const

/** Exit codes at the ends, and those that shells, containers and runtimes give a meaning of their own. */
const notable = [0, 1, 2, 3, 125, 126, 127, 128, 129, 130, 137, 141, 143, 159, 192, 254, 255]

export const events: Part = (test, { can, everyCase = false }) => {
  test("emits chunks with all of their fields", () =>
    Effect.gen(function* () {
      const exec = sh("echo out; echo err >&2", { commandId: "build-7" })
      const before = Date.now()
      const { chunks } = yield* run(exec)
      expect(chunks.map(({ seq }) => seq)).toEqual([0, 1])
      expect(textOf(chunks, "stdout")).toBe("out\n")
      expect(textOf(chunks, "stderr")).toBe("err\n")
      for (const chunk of chunks) {
        expect(Object.keys(chunk).sort()).toEqual(["_tag", "commandId", "content", "seq", "stream", "timestamp"])
        expect(chunk.commandId).toBe("build-7")
        expect(chunk.timestamp).toBeGreaterThanOrEqual(before)
        expect(chunk.timestamp).toBeLessThanOrEqual(Date.now())
      }
    }))

  test("ends with an output that has all its fields", () =>
    Effect.gen(function* () {
      const before = Date.now()
      const { output } = yield* run(sh("printf four; printf sixsix >&2", { commandId: "build-8" }))
      const { completed, duration, executable, ...rest } = output
      expect(rest).toEqual({
        _tag: "ShellOutput",
        commandId: "build-8",
        exitCode: 0,
        stdout: "",
        stderr: "",
        drain: "eof",
        stdoutBytes: 4,
        stderrBytes: 6,
        stdoutBytesOmitted: 0,
        stderrBytesOmitted: 0,
      })
      expect(completed).toBeGreaterThanOrEqual(before)
      expect(completed).toBeLessThanOrEqual(Date.now())
      expect(duration).toBeGreaterThan(0)
      expect(duration).toBeLessThanOrEqual(Date.now() - before + 1)
      expect(executable).toMatch(/^(?:\/|[A-Z]:\\).*sh(?:\.exe)?$/)
    }))

  test("puts the whole output into the last event when streamOutput is false", () =>
    Effect.gen(function* () {
      const { chunks, output } = yield* run(sh("echo out; echo err >&2; exit 3", { streamOutput: false }))
      expect(chunks).toEqual([])
      expect(output).toMatchObject({ exitCode: 3, stdout: "out\n", stderr: "err\n", stdoutBytes: 4, stderrBytes: 4 })
    }))

  test("makes events that are the same after JSON", () =>
    Effect.gen(function* () {
      const { chunks, output } = yield* run(sh("echo 'é€😀'; printf '\\r\\n' >&2; kill -TERM $$"))
      const again = <T, E>(schema: Schema.Codec<T, E>, value: T): T =>
        Schema.decodeUnknownSync(schema)(JSON.parse(JSON.stringify(Schema.encodeSync(schema)(value))))
      for (const chunk of chunks) expect(again(ShellOutputChunk, chunk)).toEqual(chunk)
      expect(again(ShellOutput, output)).toEqual(output)
    }))

  test("runs as many times as its stream does", () =>
    Effect.gen(function* () {
      const exec = ShellExec.make("echo", ["again"])
      const [first, second] = [yield* run(exec), yield* run(exec)]
      expect(textOf(first.chunks)).toBe("again\n")
      expect(textOf(second.chunks)).toBe("again\n")
    }))

  test("reports exit codes from 0 to 255, and no signal", () =>
    Effect.gen(function* () {
      const codes = everyCase ? Array.from({ length: 256 }, (_, code) => code) : notable
      const outputs = yield* atMost(4, codes, (code) => whole(sh(`exit ${code}`)))
      // The output of those that differ tells why.
      expect(outputs.filter(({ exitCode }, at) => exitCode !== codes[at])).toEqual([])
      expect(outputs.filter((output) => "signal" in output)).toEqual([])
    }))

  if (can.signals !== false) {
    test("reports the signal that ended a command, and 128 + n as its exit code", () =>
      Effect.gen(function* () {
        for (const [name, exitCode] of signals) {
          if (can.silentSignals === false && (name === "INT" || name === "PIPE")) continue
          const output = yield* whole(sh(`kill -s ${name} $$; sleep 5`))
          expect([output.exitCode, output.signal]).toEqual([exitCode, `SIG${name}`])
        }
      }))
  }

  test("passes every argument unchanged", () =>
    Effect.gen(function* () {
      const words = [
        "",
        " ",
        "a b",
        "'",
        '"',
        "\\",
        "$HOME",
        "`id`",
        "*",
        "-n",
        "--",
        "é€😀",
        "line\nbreak",
        "\t",
        "a=b;c&d|e",
      ]
      const { stdout } = yield* whole(ShellExec.make("printf", ["[%s]", ...words]))
      expect(stdout).toBe(words.map((word) => `[${word}]`).join(""))
    }))
}
