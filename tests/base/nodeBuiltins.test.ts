import { expect, it } from "@effect/vitest"
import { nodeBuiltins } from "../../src/base/nodeBuiltins.ts"

it("finds the built-in modules of this runtime", () => {
  expect(nodeBuiltins()?.getBuiltinModule("node:path").join("a", "b")).toMatch(/^a.b$/)
})
