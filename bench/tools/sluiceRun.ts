/** Sluice, as a script uses it that knows no Effect. */
import { Runner } from "../../src/run/mod.ts"
import { expect, meterLine, readAll, repeat, type Tool } from "./Tool.ts"

// No queue, as in `sluice.ts`; 256 is the default.
const { lines, run } = Runner.make({ maxConcurrency: 1_000 })

/** Lines come one by one, as the other tools give them. */
export const tool: Tool = {
  spawn: ({ file, args }, times, concurrency) =>
    repeat(
      times,
      concurrency,
      async () => expect((await run(file, args)).ok, "the exit code"),
    ),
  bytes: ({ file, args }, meter) => readAll(run(file, args).stream(), (bytes) => meter(bytes.length)),
  lines: ({ file, args }, meter) => meterLine(lines(file, args), meter),
  text: async ({ file, args }) => (await run(file, args)).stdout,
  timeout: ({ file, args }, timeout, grace) => run(file, args, { timeout, grace }),
}
