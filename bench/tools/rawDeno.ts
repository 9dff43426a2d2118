/** The floor on Deno: `Deno.Command`. */
import { type Command, expect, lineCutter, type Meter, readAll, repeat, type Tool } from "./Tool.ts"

const command = ({ file, args }: Command, signal?: AbortSignal): Deno.Command =>
  new Deno.Command(file, {
    args,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    ...(signal === undefined ? undefined : { signal }),
  })

type Each = (bytes: Uint8Array) => Promise<void> | undefined

const run = async (
  c: Command,
  each: Each,
  read: (stream: ReadableStream<Uint8Array>, each: Each) => Promise<void>,
): Promise<void> => {
  const child = command(c).spawn()
  const [, , status] = await Promise.all([
    read(child.stdout, each),
    readAll(child.stderr, () => undefined),
    child.status,
  ])
  expect(status.success, "the exit code")
}

/** One 64 KiB buffer, given back for each read: the fastest way to read a pipe on Deno. */
const readByob = async (
  stream: ReadableStream<Uint8Array>,
  each: Each,
): Promise<void> => {
  const reader = stream.getReader({ mode: "byob" })
  let buffer = new Uint8Array(65_536)
  for (;;) {
    const { done, value } = await reader.read(buffer)
    if (done) return
    const wait = each(value)
    if (wait !== undefined) await wait
    buffer = new Uint8Array(value.buffer)
  }
}

const make = (
  read: (stream: ReadableStream<Uint8Array>, each: Each) => Promise<void>,
): Tool => ({
  bytes: (c, meter) => run(c, (bytes) => meter(bytes.length), read),
  lines: async (c: Command, meter: Meter) => {
    const cut = lineCutter(meter)
    await run(c, cut, read)
    await cut(undefined)
  },
})

/** With the plain reader. */
export const tool: Tool = {
  ...make(readAll),
  spawn: (c, times, concurrency) =>
    repeat(
      times,
      concurrency,
      async () => expect((await command(c).output()).success, "the exit code"),
    ),
  text: async (c) => new TextDecoder().decode((await command(c).output()).stdout),
  timeout: (c, milliseconds) => command(c, AbortSignal.timeout(milliseconds)).output(),
}

/** With one reused buffer. */
export const byob: Tool = make(readByob)
