import { expect, it } from "vitest"
import { detach } from "../../../../src/kernel/utilities/shared/ValueBudget.ts"

it("keeps a part of a text without the text", async () => {
  const before = process.memoryUsage().rss
  const parts: Array<string> = []
  for (let at = 0; at < 1_500; at++) {
    const text = new TextDecoder().decode(new Uint8Array(1_000_000).fill(97 + at % 20))
    parts.push(detach(text.slice(at, at + 40)))
    if (at % 100 === 0) await new Promise((resolve) => setTimeout(resolve))
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(700_000_000)
  expect(parts.every((part, at) => part === String.fromCharCode(97 + at % 20).repeat(40))).toBe(true)
})

it("leaves a part that is most of its text", () => {
  expect(detach("abcdefghijklmnop", 20)).toBe("abcdefghijklmnop")
  expect(detach("\ud800abcdefghijklmnop")).toBe("\ud800abcdefghijklmnop")
})
