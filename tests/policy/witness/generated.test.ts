/**
 * Generated scripts under the witness, with another seed each day: the day's own, which is printed. `SLUICE_WITNESS_SECONDS`
 * says how long (the weekly workflow: a minute), `SLUICE_WITNESS_SEED` gives a seed back.
 */
import { expect, it } from "@effect/vitest"
import { runGenerated } from "./generated.ts"

const seconds = Number(process.env["SLUICE_WITNESS_SECONDS"] ?? 5)
const seed = Number(process.env["SLUICE_WITNESS_SEED"] ?? Math.floor(Date.now() / 86_400_000))

it(`starts nothing that the list does not have, whatever the script (seed ${seed})`, async () => {
  const { escapes, troubles, ...counts } = await runGenerated(seed, seconds)
  console.info(JSON.stringify({ seed, seconds, ...counts }))
  expect(escapes).toEqual([])
  expect(troubles).toEqual([])
  // Most of what is made is no script, or refused; what is not was run.
  expect(counts.ran).toBeGreaterThan(30)
}, (seconds + 300) * 1_000)
