import { Sandbox } from "@sluice/shell/sandbox"
import { expect, it } from "vitest"
import { detach } from "../../src/kernel/detach.ts"

/** Memory of this process, after a collection where the runtime lets a program ask for one: Bun's is late otherwise. */
const residentBytes = (): number => {
  if (typeof Bun !== "undefined") Bun.gc(true)
  return process.memoryUsage().rss
}

it("keeps a part of a text without the text", async () => {
  const before = residentBytes()
  const parts: Array<string> = []
  for (let at = 0; at < 600; at++) {
    const text = new TextDecoder().decode(new Uint8Array(1_000_000).fill(97 + at % 20))
    parts.push(detach(text.slice(at, at + 40)))
    if (at % 100 === 0) {
      residentBytes()
      await new Promise((resolve) => setTimeout(resolve))
    }
  }
  expect(residentBytes() - before).toBeLessThan(300_000_000)
  expect(parts.every((part, at) => part === String.fromCharCode(97 + at % 20).repeat(40))).toBe(true)
})

it("leaves a part alone that is most of its text", () => {
  expect(detach("abcdefghijklmnop".repeat(300), 5_000)).toBe("abcdefghijklmnop".repeat(300))
  expect(detach("\ud800abcdefghijklmnop")).toBe("\ud800abcdefghijklmnop")
})

it("is how a shell keeps parts of its long texts", async () => {
  const before = residentBytes()
  await using sandbox = await Sandbox.open()
  const script = 'printf -v x %8000000s x; for i in {1..100}; do y=$i$x; a+=("${y:5:20}"); done; echo ${#a[@]}'
  expect((await sandbox.run(script)).stdout).toBe("100\n")
  expect(residentBytes() - before).toBeLessThan(500_000_000)
})
