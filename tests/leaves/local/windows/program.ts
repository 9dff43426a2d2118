/** Runs the promises of the program `sluice` under Wine. Arguments: parts of titles; those alone are looked at. */
import { describe, it } from "@effect/vitest"
import process from "node:process"
import { commandLine } from "./commandLine.ts"
import { runSuites } from "./runSuites.ts"

await runSuites(() => {
  describe("sluice", { concurrent: true }, () => {
    for (const { keep, title } of commandLine) it.live(title, () => keep)
  })
}, process.argv.slice(2))
process.exit()
