import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import { sluiceWords } from "../support.ts"
import { hasScript, onTerminal } from "./onTerminal.ts"
import { expectRestored, framed } from "./settings.ts"

const fixture = fileURLToPath(new URL("./crash.fixture.ts", import.meta.url))
const line = [...sluiceWords.slice(0, -1), fixture].map((word) => `'${word}'`).join(" ")

describe.each(["listener", "rejection", "exit"])("a program in raw mode that crashes: %s", (way) => {
  it.live.skipIf(!hasScript)(
    "restores the terminal, before anything is printed about the crash",
    () =>
      Effect.gen(function* () {
        const terminal = yield* onTerminal(framed(`${line} ${way}`))
        yield* terminal.sees("is raw")
        expect(terminal.stty("-a")).toMatch(/-icanon.* -echo /s)
        terminal.stty("rows", "44")
        yield* terminal.sees("resized")
        yield* terminal.sees("status ")
        expect(terminal.screen()).not.toContain("status 0")
        expectRestored(terminal.screen())
        // The runtimes restore the settings too, but last: in raw mode a newline does not return to the first column.
        // Bun prints a rejection before it calls a handler.
        const [, last = ""] = terminal.screen().split(
          "Bun" in globalThis && way === "rejection" ? "leaves" : "resized\n",
        )
        expect(last).not.toMatch(/(?<!\r)\n/)
      }),
  )
})
