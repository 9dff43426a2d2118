import { expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { scriptAnswer } from "../../support/script.ts"

const Growth = Schema.Struct({ grown: Schema.Finite, read: Schema.Int })

it("lets 200 MB through without keeping them", async () => {
  const { grown, read } = await scriptAnswer(Growth, new URL("./memory.fixture.ts", import.meta.url))
  expect(read).toBe(200_000_000)
  // A guard with room to spare: what kept its output would have grown by 200 MB and more.
  expect(grown).toBeLessThan(100)
})
