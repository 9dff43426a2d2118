import { describe, it } from "@effect/vitest"
import { wineIsReady } from "../../../../scripts/wine.mjs"
import { runtime } from "./programs.ts"
import { onAllRuntimes, suiteUnderWine } from "./suiteUnderWine.ts"

// A file of its own, which runs beside the other suites.
if (wineIsReady() && runtime === "deno") {
  describe("the contract of shells, under Wine", () => {
    suiteUnderWine("deno", "contract", 80)
    if (onAllRuntimes) { for (const name of ["bun", "node"] as const) suiteUnderWine(name, "contract", 80) }
  })
} else {
  it.skip("runs under Wine, which `node scripts/wine.mjs` brings, from Deno", () => {})
}
