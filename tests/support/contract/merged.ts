import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Shell, ShellExec } from "@sluice/shell"
import { type Part, run, sh, textOf } from "./target.ts"

const both = "for i in 1 2 3 4 5 6 7 8 9; do echo o$i; echo e$i >&2; done"
const inOrder = Array.from({ length: 9 }, (_, n) => `o${n + 1}\ne${n + 1}\n`).join("")

export const merged: Part = (test, { can }) => {
  test("keeps the exact order of both streams when they are merged", () =>
    Effect.gen(function* () {
      const { capabilities } = yield* Shell
      expect(capabilities.exactOrder).toBe(true)
      for (
        const exec of [sh(both, { mergeStreams: true }), ShellExec.make("sh", ["-c", both], { mergeStreams: true })]
      ) {
        const { chunks, output } = yield* run(exec)
        expect(textOf(chunks)).toBe(inOrder)
        expect(chunks.filter(({ stream }) => stream === "stderr")).toEqual([])
        expect(output).toMatchObject({ exitCode: 0, stdoutBytes: inOrder.length, stderrBytes: 0 })
        expect(output.executable).toMatch(/[\\/](ba|da)?sh(\.exe)?$/)
      }
    }))

  test("passes arguments, input and exit codes when streams are merged", () =>
    Effect.gen(function* () {
      const end = can.signals === false ? "exit 138" : "kill -USR1 $$"
      const script = `printf "[%s]" "$@"; cat; ${end}`
      const exec = ShellExec.make("sh", ["-c", script, "sh", "a b", "", "$x"], { mergeStreams: true, input: "in" })
      const { chunks, output } = yield* run(exec)
      expect(textOf(chunks)).toBe("[a b][][$x]in")
      expect([output.exitCode, output.signal]).toEqual([138, can.signals === false ? undefined : "SIGUSR1"])
    }))
}
