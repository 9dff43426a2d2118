import { x } from "tinyexec"
import { type Command, expect, meterLine, repeat, type Tool } from "./Tool.ts"

const run = ({ file, args }: Command, timeout?: number): ReturnType<typeof x> =>
  x(file, [...args], {
    throwOnError: true,
    nodeOptions: { stdio: ["ignore", "pipe", "pipe"] },
    ...(timeout === undefined ? undefined : { timeout }),
  })

export const tool: Tool = {
  spawn: (c, times, concurrency) => repeat(times, concurrency, async () => await run(c)),
  bytes: async (c, meter) => {
    const child = run(c)
    const stdout = child.process?.stdout
    if (stdout === undefined || stdout === null) throw new Error("no stdout")
    for await (const chunk of stdout) {
      const wait = meter(chunk.length)
      if (wait !== undefined) await wait
    }
    await child
    expect(child.exitCode === 0, "the exit code")
  },
  lines: (c, meter) => meterLine(run(c), meter),
  text: async (c) => (await run(c)).stdout,
  timeout: async (c, milliseconds) => await run(c, milliseconds),
}
