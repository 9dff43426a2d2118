/** The floor on Bun: `Bun.spawn`. */
import { type Command, expect, lineCutter, readAll, repeat, type Tool } from "./Tool.ts"

const start = (
  { file, args }: Command,
  timeout?: number,
): Bun.Subprocess<"ignore", "pipe", "pipe"> =>
  Bun.spawn([file, ...args], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    ...(timeout === undefined ? undefined : { timeout }),
  })

const read = async (
  c: Command,
  each: (bytes: Uint8Array) => Promise<void> | undefined,
): Promise<void> => {
  const child = start(c)
  const [code] = await Promise.all([
    child.exited,
    readAll(child.stdout, each),
    readAll(child.stderr, () => undefined),
  ])
  expect(code === 0, "the exit code")
}

export const tool: Tool = {
  spawn: (c, times, concurrency) =>
    repeat(times, concurrency, async () => {
      const child = start(c)
      const [code] = await Promise.all([
        child.exited,
        Bun.readableStreamToBytes(child.stdout),
        Bun.readableStreamToBytes(child.stderr),
      ])
      expect(code === 0, "the exit code")
    }),
  bytes: (c, meter) => read(c, (bytes) => meter(bytes.length)),
  lines: async (c, meter) => {
    const cut = lineCutter(meter)
    await read(c, cut)
    await cut(undefined)
  },
  text: async (c) => {
    const child = start(c)
    const [text] = await Promise.all([
      Bun.readableStreamToText(child.stdout),
      Bun.readableStreamToBytes(child.stderr),
      child.exited,
    ])
    return text
  },
  timeout: async (c, milliseconds) => {
    const child = start(c, milliseconds)
    await Promise.all([
      Bun.readableStreamToBytes(child.stdout),
      Bun.readableStreamToBytes(child.stderr),
      child.exited,
    ])
  },
}
