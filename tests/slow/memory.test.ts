/** Streams that are larger than the memory that they may take. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import process from "node:process"
import { output, withPrograms } from "./support.ts"

const gibibyte = 1024 * 1024 * 1024
const mebibyte = 1024 * 1024

/** How much a script makes the memory of this process grow at most, while it runs. */
const growth = <A, E>(
  effect: Effect.Effect<A, E>,
): Effect.Effect<{ readonly result: A; readonly bytes: number }, E> =>
  Effect.gen(function* () {
    const before = process.memoryUsage().rss
    let most = before
    const watch = Effect.sync(() => {
      most = Math.max(most, process.memoryUsage().rss)
    })
    yield* Effect.forkScoped(
      Effect.repeat(watch, Schedule.spaced("20 millis")),
    )
    const result = yield* effect
    yield* watch
    return { result, bytes: most - before }
  }).pipe(Effect.scoped)

const writer = (bytes: number) =>
  `lua -e 'local piece = string.rep("0123456789abcdef", 4096) for _ = 1, ${bytes / 65_536} do io.write(piece) end'`

const pipelines = {
  "lua, lua and wc": [
    (bytes: number) =>
      `${
        writer(bytes)
      } | lua -e 'while true do local p = io.read(65536) if not p then break end io.write(p) end' | wc -c`,
    (bytes: number) => `${bytes}`,
  ],
  "lua, tr and python": [
    (bytes: number) =>
      `${writer(bytes)} | tr 0 x | python3 -c 'import sys
total = marks = 0
while piece := sys.stdin.buffer.read1(65536): total += len(piece); marks += piece.count(b"x")
print(total, marks)'`,
    (bytes: number) => `${bytes} ${bytes / 16}`,
  ],
} as const

for (const [stages, [script, expected]] of Object.entries(pipelines)) {
  it.live(
    `1 GiB through ${stages} takes less than 128 MiB more than 16 MiB did`,
    () =>
      withPrograms(["lua", "python3"], (sandbox) =>
        Effect.gen(function* () {
          yield* output(sandbox, script(16 * mebibyte))
          const { bytes, result } = yield* growth(
            output(sandbox, script(gibibyte)),
          )
          console.log(`grew by ${(bytes / mebibyte).toFixed(1)} MiB`)
          expect(result.trim()).toBe(expected(gibibyte))
          expect(bytes).toBeLessThan(128 * mebibyte)
        })),
    240_000,
  )
}
