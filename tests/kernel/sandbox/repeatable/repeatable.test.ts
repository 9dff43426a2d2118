import { expect, it } from "vitest"
import { readDigests, repeatCases, writeDigests } from "./cases.ts"
import { digestRun } from "./repeat.ts"

it("gives the same bytes for the same seed, whatever the runtime", async () => {
  const digests: Record<string, string> = {}
  // Several at once: they must not depend on each other, or on how busy the host is.
  const left = [...repeatCases]
  await Promise.all(Array.from({ length: 4 }, async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) digests[next[0]] = await digestRun(next[1])
  }))
  const sorted = Object.fromEntries(repeatCases.map(([name]) => [name, digests[name] ?? ""]))
  if (process.env["SLUICE_WRITE_GOLDEN"] === "1") return writeDigests(sorted)
  expect(repeatCases.length).toBeGreaterThan(320)
  expect(sorted).toEqual(readDigests())
}, 240_000)
