import { expect, it } from "vitest"
import { cutAfter, cutBefore, splitsPair } from "../../src/base/text.ts"

const text = "a😀b"

it("finds cuts that split a surrogate pair", () => {
  expect([0, 1, 2, 3, 4].map((index) => splitsPair(text, index))).toEqual([false, false, true, false, false])
})

it("moves such a cut to either side of the pair, and no other", () => {
  expect([0, 1, 2, 3, 4].map((index) => cutBefore(text, index))).toEqual([0, 1, 1, 3, 4])
  expect([0, 1, 2, 3, 4].map((index) => cutAfter(text, index))).toEqual([0, 1, 3, 3, 4])
})

it("leaves a cut beside a lone surrogate where it is", () => {
  expect([cutBefore("a\ud83d", 2), cutBefore("\ude00a", 0), cutBefore("\ude00a", 1)]).toEqual([2, 0, 1])
})
