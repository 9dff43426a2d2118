import { beforeAll, describe, expect, it } from "@effect/vitest"
import process from "node:process"
import { wineIsReady } from "../../../../scripts/wine.mjs"
import { runtime } from "./programs.ts"
import { promises } from "./promises.ts"
import { runUnderWine } from "./underWine.ts"

if (process.platform === "win32") {
  describe("WindowsShell", () => {
    for (const { keep, title } of promises) it.live(title, () => keep)
  })
} else if (wineIsReady()) {
  // Here the promises are only read; this runtime's program for Windows looks whether they are kept.
  describe(`WindowsShell under Wine, on ${runtime}.exe`, () => {
    let seen: Awaited<ReturnType<typeof runUnderWine>>
    beforeAll(async () => {
      seen = await runUnderWine(runtime)
    }, 600_000)

    for (const { title } of promises) {
      it(title, () => {
        const found = seen.kept.get(title)
        if (found === undefined) throw new Error(`not looked at; the run said:\n${seen.output.slice(-4_000)}`)
        expect(found.failure ?? "kept").toBe("kept")
      })
    }
  })
} else {
  it.skip("WindowsShell keeps its promises under Wine, which `node scripts/wine.mjs` brings", () => {})
}
