import spawn from "nano-spawn"
import { type Command, meterLine, repeat, type Tool } from "./Tool.ts"

const run = (
  { file, args }: Command,
  timeout?: number,
): ReturnType<typeof spawn> =>
  spawn(file, args, {
    stdin: "ignore",
    ...(timeout === undefined ? undefined : { timeout }),
  })

/** Text only: its pipes decode as UTF-8 from the start, so it has no row of bytes. */
export const tool: Tool = {
  spawn: (c, times, concurrency) => repeat(times, concurrency, () => run(c)),
  lines: (c, meter) => meterLine(run(c).stdout, meter),
  text: async (c) => (await run(c)).stdout,
  timeout: (c, milliseconds) => run(c, milliseconds),
}
