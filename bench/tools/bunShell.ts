import { $ } from "bun"
import { type Command, repeat, type Tool } from "./Tool.ts"

const run = ({ file, args }: Command): ReturnType<typeof $> => $`${file} ${[...args]}`.quiet()

/** `Bun.$` has no deadline. Its bytes come all at once. */
export const tool: Tool = {
  spawn: (c, times, concurrency) => repeat(times, concurrency, async () => await run(c)),
  bytes: async (c, meter) => await meter((await run(c)).stdout.length),
  lines: async (c, meter) => {
    for await (const line of run(c).lines()) {
      if (line === "") continue // It gives one more after the last newline.
      const wait = meter(line.length + 1)
      if (wait !== undefined) await wait
    }
  },
  text: (c) => run(c).text(),
}
