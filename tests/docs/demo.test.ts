import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { demoPicture } from "../../scripts/demoPicture.mjs"
import { root } from "../../scripts/examples.mjs"

it("docs/demo.svg is the picture of what sluice demo prints: deno run -A scripts/demoPicture.mjs", async () => {
  expect(readFileSync(join(root, "docs", "demo.svg"), "utf8")).toBe(await demoPicture())
})
