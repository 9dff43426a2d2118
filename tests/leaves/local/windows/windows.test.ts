import { describe, it } from "@effect/vitest"
import process from "node:process"
import { wineIsReady } from "../../../../scripts/wine.mjs"
import { runtime } from "./programs.ts"
import { promises } from "./promises.ts"
import { terminals } from "./terminals.ts"
import { onAllRuntimes, suiteUnderWine } from "./suiteUnderWine.ts"

/** Parts of titles of promises that a runtime keeps, and not only the code that is the same on all. */
const ofRuntimes = [
  "carries 500 nasty lists",
  "all 32 bits of an exit code",
  "gives stdin to the command",
  "much and exits",
  "ends the whole tree when its signal is aborted",
  "when this program itself is killed",
  "says how trees are ended",
  "refuses what cannot be carried",
  "gives a command a terminal",
]

if (process.platform === "win32") {
  describe("WindowsShell", () => {
    for (const { keep, title } of [...promises, ...terminals]) it.live(title, () => keep)
  })
} else if (wineIsReady() && runtime === "deno") {
  // Deno here starts the Windows programs of all.
  describe("Windows, under Wine", () => {
    suiteUnderWine("deno", "main", 45)
    suiteUnderWine("deno", "files", 20)
    suiteUnderWine("deno", "program", 5)
    for (const name of ["bun", "node"] as const) {
      if (onAllRuntimes) {
        suiteUnderWine(name, "main", 30)
        suiteUnderWine(name, "files", 20)
      } else suiteUnderWine(name, "main", ofRuntimes.length - 1, ofRuntimes)
    }
  })
} else {
  it.skip("runs under Wine, which `node scripts/wine.mjs` brings, from Deno", () => {})
}
