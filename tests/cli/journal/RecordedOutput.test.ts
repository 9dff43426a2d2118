import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ask, exit, take, write } from "../../history/support.ts"
import { journalWith } from "./support.ts"

/** An editor that was killed: it had asked for the cursor's position and for the colour, and set the clipboard. */
const edited = Effect.gen(function* () {
  yield* ask("c1", ["vi"])
  yield* take("c1")
  yield* write("c1", { text: "\x1b[?1049h\x1b[6" }, {
    text: "nh\u00e9llo\x1b]11;?\x07\x1b]52;c;ZXZpbA==\x07\x1b[1mb\x1b[",
  })
  yield* exit("c1", 137)
})

it.effect("a terminal answers nothing in a recording, and is left unchanged", () =>
  Effect.gen(function* () {
    const { said, saidIn } = yield* journalWith(edited)
    const shown = "h\u00e9llo\x1b[1mb\x1b[m"
    const replayed = "\x1b[?1049hh\u00e9llo\x1b[1mb\x1b[?1049l\x1b[m"
    for (
      const [expected, ...words] of [[shown, "show", "c1"], [replayed, "replay", "c1"], [shown, "tail", "c1"]] as const
    ) {
      const onTerminal = yield* saidIn({ terminal: true }, ...words)
      expect(onTerminal.stdout).toBe(expected)
      expect((yield* said(...words)).stdout).toContain(
        "\x1b[6nh\u00e9llo\x1b]11;?\x07\x1b]52;c;ZXZpbA==\x07\x1b[1mb\x1b[",
      )
    }
  }))

/** Lines that would hide the label of their command, colour those after them, or swallow them. */
const hiding = Effect.gen(function* () {
  yield* ask("c1", ["sh"])
  yield* take("c1")
  yield* write("c1", { text: "a\r\x1b[31mred\r\n\x1b]0;swallowed\nb\x1b\x1b[6n]52;c;RVZJTA==\x07\n" })
  yield* exit("c1", 0)
})

it.effect("sequences of a line end with it", () =>
  Effect.gen(function* () {
    const { said, saidIn } = yield* journalWith(hiding)
    const { stdout } = yield* saidIn({ terminal: true }, "tail", "--timestamps", "c1")
    const lines = stdout.split("\n").map((line) => line.replace(/^\S+ /, ""))
    expect(lines).toEqual(["a\\r\x1b[31mred\x1b[m", "", "b]52;c;RVZJTA==", ""])
    expect((yield* said("show", "--grep", "red", "c1")).stdout).toBe("a\r\x1b[31mred\r\n")
    expect((yield* saidIn({ terminal: true }, "show", "--grep", "red", "c1")).stdout).toBe("a\\r\x1b[31mred\x1b[m\n")
  }))
