import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { Shell, ShellExec } from "@sluice/shell"
import { encodeUtf8 } from "../../../src/base/bytes.ts"
import { faultOf, type Part, run, sh, textOf } from "./target.ts"

/** Asks for its size, reads a line, and asks again. */
const script = `[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo "$TERM"; stty size; read -r line; echo "got $line" >&2; exit 7`

export const terminals: Part = (test) => {
  test("gives a command a terminal of the size that was asked for, or refuses one", () =>
    Effect.gen(function* () {
      const shell = yield* Shell
      const terminal = { cols: 91, rows: 17, term: "vt100" }
      if (!shell.capabilities.pty) {
        const fault = yield* faultOf(sh("echo never"), { terminal })
        expect(fault.reason).toMatchObject({ _tag: "InvalidRequest", field: "terminal", code: "ENOTSUP" })
        return
      }
      const typed = yield* Queue.unbounded<Uint8Array>()
      const events = shell.exec(ShellExec.make("sh", ["-c", script]), { terminal, stdin: Stream.fromQueue(typed) })
      let seen = ""
      const all = yield* events.pipe(
        Stream.tap((event) =>
          Effect.suspend(() => {
            if (event._tag !== "ShellOutputChunk" || seen.includes("17 91")) return Effect.void
            seen += event.content
            return seen.includes("17 91") ? Queue.offer(typed, encodeUtf8("a line\r")) : Effect.void
          })
        ),
        Stream.runCollect,
      )
      const output = all.at(-1)
      const chunks = all.filter((event) => event._tag === "ShellOutputChunk")
      // A terminal has one stream, echoes what is typed, and ends lines with CR LF.
      expect(textOf(chunks).split("\r\n")).toEqual(["vt100", "17 91", "a line", "got a line", ""])
      expect(textOf(chunks, "stderr")).toBe("")
      expect(output).toMatchObject({ _tag: "ShellOutput", exitCode: 7 })
    }))

  test("refuses a terminal of an impossible size", () =>
    Effect.gen(function* () {
      const shell = yield* Shell
      const fault = yield* faultOf(sh("echo never"), { terminal: { cols: 0, rows: 24 } })
      // A leaf without terminals may name either.
      const field = shell.capabilities.pty ? "terminal.cols" : expect.stringMatching(/^terminal(?:\.cols)?$/)
      expect(fault.reason).toMatchObject({ _tag: "InvalidRequest", field })
      // Without a terminal it runs as ever.
      expect((yield* run(sh("echo plain"))).output.exitCode).toBe(0)
    }))
}
