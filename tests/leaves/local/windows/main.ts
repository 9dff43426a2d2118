/** Looks at the promises of the leaf under Wine. Arguments: parts of titles; those alone are looked at. */
import { describe, it } from "@effect/vitest"
import process from "node:process"
import { promises } from "./promises.ts"
import { runSuites } from "./runSuites.ts"
import { terminals } from "./terminals.ts"

await runSuites(() => {
  describe("promises", { concurrent: true }, () => {
    for (const { keep, title } of promises) it.live(title, () => keep)
  })
  // One by one: beside many other processes Wine's console was seen to show nothing.
  describe("terminals", () => {
    for (const { keep, title } of terminals) it.live(title, () => keep)
  })
}, process.argv.slice(2))
// What a failed promise left behind must not keep us.
process.exit()
