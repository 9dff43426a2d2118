/**
 * `sluice serve` in a process of its own, which can be asked what memory it needs: each line on its stdin is answered by
 * one line of JSON on its stderr, after the garbage was collected.
 */
import process from "node:process"

const collectors: Readonly<Record<string, () => unknown>> = {
  bun: () => {
    const bun: unknown = Reflect.get(globalThis, "Bun")
    if (typeof bun === "object" && bun !== null && "gc" in bun && typeof bun.gc === "function") bun.gc(true)
  },
  deno: () => {
    const collect: unknown = Reflect.get(globalThis, "gc")
    if (typeof collect !== "function") throw new Error("start it with --v8-flags=--expose-gc")
    collect()
  },
}

const collect = collectors[process.versions["bun"] === undefined ? "deno" : "bun"] ?? (() => {})

process.stdin.on("data", async () => {
  // What is freed by finalizers goes with the second.
  for (let turn = 0; turn < 3; turn++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const { external, heapUsed, rss } = process.memoryUsage()
  // Bun's heap is what is outside of it, too.
  const heap = process.versions["bun"] === undefined ? heapUsed + external : heapUsed
  process.stderr.write(`${JSON.stringify({ memory: { rss, heap } })}\n`)
})

await import("../../src/cli/main.ts")
