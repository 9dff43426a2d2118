import { $ as zx, type ProcessPromise, type Shell } from "zx"
import { type Command, meterLine, repeat, type Tool } from "./Tool.ts"

const $: Shell = zx({ quiet: true, stdio: ["ignore", "pipe", "pipe"] })

const run = ({ file, args }: Command): ProcessPromise => $`${file} ${args}`

export const tool: Tool = {
  spawn: (c, times, concurrency) => repeat(times, concurrency, () => run(c)),
  bytes: async (c, meter) => {
    const child = run(c)
    for await (const chunk of child.stdout) {
      const wait = meter(chunk.length)
      if (wait !== undefined) await wait
    }
    await child
  },
  lines: (c, meter) => meterLine(run(c), meter),
  text: (c) => run(c).text(),
  timeout: (c, milliseconds) => run(c).timeout(`${milliseconds}ms`),
}
