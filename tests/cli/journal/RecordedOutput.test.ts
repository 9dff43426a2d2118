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

it.effect("a terminal answers nothing of a recording, and is left as it was", () =>
  Effect.gen(function* () {
    const { said, saidIn } = yield* journalWith(edited)
    for (const words of [["show", "c1"], ["replay", "c1"], ["tail", "c1"]]) {
      const onTerminal = yield* saidIn({ terminal: true }, ...words)
      expect(onTerminal.stdout).toBe("\x1b[?1049hh\u00e9llo\x1b[1mb\x1b[?1049l")
      expect((yield* said(...words)).stdout).toContain(
        "\x1b[6nh\u00e9llo\x1b]11;?\x07\x1b]52;c;ZXZpbA==\x07\x1b[1mb\x1b[",
      )
    }
  }))
