import { expect, it } from "vitest"
import { generators, outdated } from "../../scripts/generate.mjs"

it.each(Object.keys(generators))("%s is up to date: `npm run generate` writes it", (name) => {
  expect(outdated(name).map(([file]) => file)).toEqual([])
})
