import { expect, it } from "@effect/vitest"
import { runScript } from "../../support/script.ts"

it("lets 200 MB through without keeping them", async () => {
  const { code, stderr, stdout } = await runScript(new URL("./memory.fixture.ts", import.meta.url))
  expect([code, stderr]).toEqual([0, ""])
  const { grown, read } = JSON.parse(stdout)
  expect(read).toBe(200_000_000)
  // A guard with room to spare: what kept its output would have grown by 200 MB and more.
  expect(grown).toBeLessThan(100)
})
