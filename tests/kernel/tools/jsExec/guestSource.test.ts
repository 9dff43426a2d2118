import { expect, it } from "@effect/vitest"
import { guestSource } from "../../../../src/kernel/tools/jsExec/guest/guestSource.ts"
import { jsExec } from "../../../../src/kernel/tools/jsExec/jsExec.ts"
import { Sandbox } from "../../../../src/sandbox/mod.ts"

it("the part that runs in the engine is ASCII: Bun escapes other characters in its texts, which then take more steps", () => {
  expect(guestSource).toMatch(/^[\n\x20-\x7e]+$/)
})

it(
  "a script of a sandbox with a seed gives the same on each runtime and in each run",
  { timeout: 60_000 },
  async () => {
    const run = async (): Promise<string> => {
      await using sandbox = await Sandbox.open({ programs: { "js-exec": jsExec }, seed: "a", timeout: "60 seconds" })
      const code =
        "console.log(Math.random(), crypto.randomUUID(), Date.now()); setTimeout(() => console.log(Date.now()), 1000)"
      return (await sandbox.run(`js-exec -e '${code}'`)).stdout
    }
    const first = await run()
    // The time depends on how much code runs in the engine before.
    expect(first).toMatch(
      /^0\.09237386146788196 e2a82c58-8340-493b-8669-189f46db1b90 17672256000\d\d\n17672256010\d\d\n$/,
    )
    expect(await run()).toBe(first)
  },
)
