/** Scripts that fill the memory of their process: with a limit on it here, and with memory that is counted by hand. */
import { expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { MemoryWatch, type WatchedScript } from "../../src/script/MemoryWatch.ts"

const set = () => {
  const memory = { used: 0, garbage: 0, collections: 0 }
  const watch = new MemoryWatch({
    limit: 1_000,
    used: () => memory.used + memory.garbage,
    collectGarbage: () => {
      memory.garbage = 0
      memory.collections++
    },
  })
  const ended: Array<string> = []
  const start = (name: string) => {
    const script = { busy: 0, held: 0 }
    const watched: WatchedScript = {
      busyMillis: () => script.busy,
      end: () => {
        memory.used -= script.held
        memory.garbage += script.held
        ended.push(name)
      },
    }
    const stop = watch.watch(watched)
    const hold = (bytes: number) => {
      script.held += bytes
      memory.used += bytes
      script.busy += 10
      watch.look()
    }
    return { stop, hold }
  }
  return { memory, watch, ended, start }
}

it("ends the script that holds most, and only that one if its memory is collected", () => {
  const { ended, memory, start, watch } = set()
  const [small, large] = [start("small"), start("large")]
  small.hold(300)
  large.hold(500)
  expect([ended, memory.collections]).toEqual([[], 0])
  small.hold(60)
  expect(ended).toEqual(["large"])
  watch.look()
  small.hold(40)
  expect([ended, memory.used + memory.garbage]).toEqual([["large"], 400])
  small.stop()
  large.stop()
})

it("does not end a script for garbage, or for memory of the program itself", () => {
  const { ended, memory, start, watch } = set()
  const script = start("script")
  script.hold(200)
  memory.garbage = 700
  watch.look()
  expect([ended, memory.collections, memory.used + memory.garbage]).toEqual([[], 1, 200])
  script.stop()
  memory.used = 900
  const other = start("other")
  other.hold(60)
  watch.look()
  expect([ended, memory.collections]).toEqual([[], 1])
  other.stop()
})

it("looks at the memory only while a script runs", async () => {
  let looks = 0
  const used = () => {
    looks++
    return 0
  }
  const stop = new MemoryWatch({ limit: 1_000, used, collectGarbage: () => {} }).watch({
    busyMillis: () => 0,
    end: () => {},
  })
  while (looks < 3) await new Promise((done) => setTimeout(done, 10))
  stop()
  const before = looks
  await new Promise((done) => setTimeout(done, 100))
  expect(looks).toBe(before)
})

const limited: Readonly<Record<string, ReadonlyArray<string>>> = {
  node: ["--max-old-space-size=300"],
  deno: ["run", "-A", "--v8-flags=--max-old-space-size=300"],
}
const runtime = "Bun" in globalThis ? "bun" : "Deno" in globalThis ? "deno" : "node"

it.skipIf(limited[runtime] === undefined)(
  "survives scripts that fill the heap, and runs others at the same time",
  () => {
    const fixture = fileURLToPath(new URL("memory.fixture.ts", import.meta.url))
    const { signal, status, stderr, stdout } = spawnSync(process.execPath, [...limited[runtime] ?? [], fixture], {
      encoding: "utf8",
    })
    expect([stdout, status, signal]).toEqual(["memory\nother\nmemory\nother\nmemory\nother\n", 0, null])
    expect(stderr).not.toContain("out of memory")
  },
  120_000,
)
