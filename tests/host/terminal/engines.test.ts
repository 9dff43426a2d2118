import { expect, it } from "@effect/vitest"
import { currentHost } from "../../../src/host/currentHost.ts"
import { findEngines, hasEngine } from "../../../src/host/terminal/findEngine.ts"
import { engineContract } from "./engineContract.ts"

const host = currentHost()
const engines = host === undefined ? [] : await findEngines(host)
const expected = {
  deno: ["node-pty", "zigpty", "python3"],
  node: ["zigpty", "python3"],
  bun: ["bun", "python3"],
}

it("finds the engines of this runtime, the best first", () => {
  expect(engines.map(({ name }) => name)).toEqual(expected[host?.runtime ?? "node"])
  expect(host !== undefined && hasEngine(host)).toBe(true)
})

for (const name of ["bun", "node-pty", "zigpty", "python3"] as const) {
  engineContract(name, engines.find((engine) => engine.name === name), "it does not work on this runtime")
}
