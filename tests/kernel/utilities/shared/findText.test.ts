import { expect, it } from "vitest"
import { runCoroutineSync } from "../../../../src/kernel/Coroutine.ts"
import { findText } from "../../../../src/kernel/utilities/shared/findText.ts"

const letters = (length: number, seed: number): string => {
  let text = ""
  for (let at = 0, state = seed; at < length; at++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    text += state % 7 === 0 ? "b" : "a"
  }
  return text
}

it.each([1, 9, 40, 300, 5_000])("finds parts of %d characters where indexOf does", (length) => {
  const text = letters(60_000, 5)
  for (const at of [0, 1, 1_234, 30_000, 60_000 - length]) {
    for (const part of [text.slice(at, at + length), `${text.slice(at + 1, at + length)}c`]) {
      for (const from of [0, at, at + 1]) {
        expect(runCoroutineSync(findText(text, part, from))).toBe(text.indexOf(part, from))
      }
    }
  }
})

it("finds the empty text, and one at a border of steps", () => {
  expect(runCoroutineSync(findText("abc", "", 1))).toBe(1)
  const text = `${"a".repeat(20_971)}${"b".repeat(200)}`
  const part = `aa${"b".repeat(198)}`
  expect(runCoroutineSync(findText(text.repeat(5), part, 21_000))).toBe(text.repeat(5).indexOf(part, 21_000))
})
