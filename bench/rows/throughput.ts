/** Measures the speed of reading output: as bytes, as lines, as one string. */
import { type Command, expect, lineLength, type Meter, partial, type Tool } from "../tools/Tool.ts"
import { type Job, type Measure, timed, type Values } from "./Row.ts"

type Read = (command: Command, meter: Meter) => Promise<void>

const megabytesPerSecond = async (
  read: Read,
  job: Job,
  size: number,
): Promise<number> => {
  let seen = 0
  const meter: Meter = (length) => {
    seen += length
    return undefined
  }
  // A first pass of a quarter lets the compilers and the allocators settle.
  const warmUp = Math.ceil(size / 4 / lineLength) * lineLength
  await read(job.writer(warmUp), meter)
  expect(seen === warmUp, `${seen} of ${warmUp} bytes were seen`)
  seen = 0
  partial.count = 0
  const ms = await timed(() => read(job.writer(size), meter))
  expect(seen === size, `${seen} of ${size} bytes were seen`)
  return size / 1000 / ms
}

/** Megabytes (10^6 bytes) per second. */
export const bytes: Measure = (tool, job) => {
  const read = tool.bytes
  if (read === undefined) return undefined
  const run = async (): Promise<Values> => ({
    mbPerSecond: await megabytesPerSecond(read, job, job.sizes.bytes),
  })
  return run()
}

/** Millions of lines of 60 bytes per second. */
export const lines: Measure = (tool, job) => {
  const read = tool.lines
  if (read === undefined) return undefined
  const run = async (): Promise<Values> => {
    const speed = await megabytesPerSecond(read, job, job.sizes.lineBytes)
    return {
      millionsPerSecond: speed / lineLength,
      partialPieces: partial.count,
    }
  }
  return run()
}

/** Milliseconds until the whole output is one string that can be looked into (no lazily joined rope). */
export const text: Measure = (tool: Tool, job) => {
  const read = tool.text
  if (read === undefined) return undefined
  const size = job.sizes.textBytes
  const once = async (length: number): Promise<void> => {
    const string = await read(job.writer(length))
    // 35 is "#", which the writer puts nowhere; reading a character makes a rope flat.
    expect(string.charCodeAt(string.length >> 1) !== 35, "the text")
    expect(
      string.length === length,
      `${string.length} of ${length} characters`,
    )
  }
  const run = async (): Promise<Values> => {
    await once(size >> 2)
    return { ms: await timed(() => once(size)) }
  }
  return run()
}
