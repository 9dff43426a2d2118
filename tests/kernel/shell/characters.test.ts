import { expect, it } from "vitest"
import { countCharacters, joinBytes, sliceCharacters } from "../../../src/kernel/shell/characters.ts"
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
