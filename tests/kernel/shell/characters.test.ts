import { expect, it } from "vitest"
import { doubleQuoteInSteps, quoteValueInSteps } from "../../../src/kernel/shell/builtins/escapes.ts"
import {
  countCharacters,
  hasCharacter,
  joinBytes,
  mapPieces,
  piecesOf,
  sliceCharacters,
} from "../../../src/kernel/shell/characters.ts"
import { runCoroutineSync } from "../../../src/kernel/Coroutine.ts"

it("joins characters that are given byte by byte", () => {
  expect(joinBytes("\udcc3\udca9")).toBe("é")
  expect(joinBytes("plain")).toBe("plain")
})

it("counts characters, not units", () => {
  expect(runCoroutineSync(countCharacters("a😀é"))).toBe(3)
  expect(runCoroutineSync(countCharacters("abc"))).toBe(3)
  const text = "a😀é😀b"
  for (let from = 0; from <= 5; from++) {
    for (let to = from; to <= 6; to++) {
      expect(runCoroutineSync(sliceCharacters(text, from, to))).toBe([...text].slice(from, to).join(""))
    }
  }
})

it("cuts a text between characters, and yields between the pieces", () => {
  expect([...piecesOf("a😀b😀", 2)]).toEqual(["a😀", "b😀"])
  expect([...piecesOf("", 2)]).toEqual([])
  const changing = mapPieces("a😀b😀c", (piece) => `<${piece}>`, 2)
  let yields = 0
  let next = changing.next()
  for (; next.done !== true; next = changing.next()) yields++
  expect([yields, next.value]).toEqual([3, "<a😀><b😀><c>"])
})

it("yields while it looks for a character of a long text, and while it quotes one", () => {
  const text = "a".repeat(4 * 1_048_576)
  for (
    const coroutine of [
      hasCharacter(text, /b/),
      countCharacters(text),
      doubleQuoteInSteps(text),
      quoteValueInSteps(text),
    ]
  ) {
    expect([...coroutine].length).toBeGreaterThanOrEqual(4)
  }
})
