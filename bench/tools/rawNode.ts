/** The floor on Node: `node:child_process`, with `data` events (async iteration of the stream is slower). */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import type { Readable } from "node:stream"
import { type Command, expect, lineCutter, repeat, type Tool } from "./Tool.ts"

type Each = (bytes: Uint8Array) => Promise<void> | undefined

const start = (
  { file, args }: Command,
  timeout?: number,
): ChildProcessByStdio<null, Readable, Readable> =>
  spawn(file, args, {
    stdio: ["ignore", "pipe", "pipe"],
    ...(timeout === undefined ? undefined : { timeout }),
  })

const read = (
  c: Command,
  each: Each,
  timeout?: number,
): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const child = start(c, timeout)
    child.once("error", reject)
    child.once("close", resolve)
    child.stderr.resume()
    child.stdout.on("data", (bytes: Uint8Array) => {
      const wait = each(bytes)
      if (wait === undefined) return
      child.stdout.pause()
      wait.then(() => child.stdout.resume(), reject)
    })
  })

export const tool: Tool = {
  spawn: (c, times, concurrency) =>
    repeat(
      times,
      concurrency,
      async () => expect((await read(c, () => undefined)) === 0, "the exit code"),
    ),
  bytes: async (c, meter) =>
    expect(
      (await read(c, (bytes) => meter(bytes.length))) === 0,
      "the exit code",
    ),
  lines: async (c, meter) => {
    const cut = lineCutter(meter)
    expect((await read(c, cut)) === 0, "the exit code")
    await cut(undefined)
  },
  text: async (c) => {
    const chunks: Array<Uint8Array> = []
    await read(c, (bytes) => {
      chunks.push(bytes)
      return undefined
    })
    return Buffer.concat(chunks).toString()
  },
  timeout: (c, milliseconds) => read(c, () => undefined, milliseconds),
}
