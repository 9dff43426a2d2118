import { expect, it } from "@effect/vitest"
import { Kinds } from "../../../src/journal/stores/ndjson/Kinds.ts"
import { forSeeds } from "../../support/random.ts"

it("tells the first branches and tags apart", () => {
  const kinds = new Kinds()
  const started = kinds.bit("compute", "Started")
  const ended = kinds.bit("compute", "Ended")
  const other = kinds.bit("files", "Started")
  const meets = (branch: string | undefined, tags: ReadonlyArray<string> | undefined) =>
    [started, ended, other].map((bit) => (kinds.mask(branch, tags) & bit) !== 0)
  expect(meets("compute", undefined)).toEqual([true, true, false])
  expect(meets(undefined, ["Started"])).toEqual([true, false, true])
  expect(meets("compute", ["Started"])).toEqual([true, false, false])
  expect(meets("files", ["Ended"])).toEqual([false, false, false])
  expect(meets(undefined, ["Ended", "Nothing"])).toEqual([false, true, false])
  expect(meets(undefined, [])).toEqual([false, false, false])
  expect(meets(undefined, undefined)).toEqual([true, true, true])
  expect(kinds.bit("compute", "Ended")).toBe(ended)
  expect(kinds.count).toBe(3)
})

it("passes over no pair that is meant, however many there are and however long they are", () => {
  forSeeds(30, ({ int, pick }) => {
    const kinds = new Kinds()
    const names = Array.from({ length: int(1, 40) }, (_, index) => `${index}`.repeat(pick([1, 1, 1, 300])))
    const pairs = Array.from({ length: 200 }, () => {
      const branch = pick(names)
      const tag = pick(names)
      return { branch, tag, bit: kinds.bit(branch, tag) }
    })
    expect(kinds.count).toBeLessThanOrEqual(24)
    const missed = pairs.filter(({ bit, branch, tag }) =>
      [kinds.mask(branch, [tag]), kinds.mask(branch, undefined), kinds.mask(undefined, ["?", tag])]
        .some((mask) => (mask & bit) === 0)
    )
    expect(missed).toEqual([])
  })
})
