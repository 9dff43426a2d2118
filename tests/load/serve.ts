/**
 * `sluice serve` in a process of its own, which can be asked what memory it needs: each line on its stdin is answered by
 * one line of JSON on its stderr, after the garbage was collected.
 */
import process from "node:process"

interface Collector {
  readonly gc: (...how: ReadonlyArray<boolean>) => unknown
}

const isCollector = (u: unknown): u is Collector =>
  typeof u === "object" && u !== null && "gc" in u && typeof u.gc === "function"

/** All garbage, at once. */
const collect = (): void => {
  const bun: unknown = Reflect.get(globalThis, "Bun")
  const own: unknown = globalThis
  if (isCollector(bun)) bun.gc(true)
  // To V8 an argument that is true says: only the young.
  else if (isCollector(own)) own.gc()
  else throw new Error("start it with --expose-gc, on Deno with --v8-flags=--expose-gc")
}

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
