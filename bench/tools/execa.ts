import { execa } from "execa"
import { meterLine, repeat, type Tool } from "./Tool.ts"

export const tool: Tool = {
  spawn: ({ file, args }, times, concurrency) =>
    repeat(times, concurrency, () => execa(file, args, { stdin: "ignore" })),
  bytes: async ({ file, args }, meter) => {
    // `buffer: false`: else iterating also keeps everything, and stops at 100 MB.
    for await (
      const chunk of execa(file, args, {
        stdin: "ignore",
        buffer: false,
        encoding: "buffer",
      })
    ) {
      const wait = meter(chunk.length)
      if (wait !== undefined) await wait
    }
  },
  lines: ({ file, args }, meter) => meterLine(execa(file, args, { stdin: "ignore", buffer: false }), meter),
  text: async ({ file, args }) => (await execa(file, args, { stdin: "ignore" })).stdout,
  timeout: ({ file, args }, timeout, forceKillAfterDelay) =>
    execa(file, args, {
      stdin: "ignore",
      timeout,
      forceKillAfterDelay,
      killDescendants: true,
    }),
}
