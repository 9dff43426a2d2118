/** Measures the memory for a long output, with a fast and with a slow consumer. */
import process from "node:process"
import { expect, lineLength, type Meter, type Tool } from "../tools/Tool.ts"
import { type Job, type Measure, sleep, timed, type Values } from "./Row.ts"

const mega = 1_000_000
/** Growth at which a tool has shown that it does not stop growing. */
const cap = 1_500
/** A look at the memory each so many bytes. */
const sampleEvery = 4 * mega
/** The slow consumer rests after so many bytes, for so long: at most 400 MB/s. */
const restEvery = 8 * mega
const rest = 20

const watch = async (tool: Tool, job: Job, slow: boolean): Promise<Values> => {
  const read = tool.lines ?? tool.bytes
  if (read === undefined) throw new Error("no stream")
  await read(job.writer(600), () => undefined)
  const size = slow ? Math.ceil(job.sizes.memoryBytes / 4 / lineLength) * lineLength : job.sizes.memoryBytes
  const start = process.memoryUsage.rss() / mega
  let seen = 0
  let grown = 0
  let stop: ((values: Values) => void) | undefined
  const values = (): Values => ({
    grownMb: grown,
    startMb: start,
    seenMb: seen / mega,
    cut: grown > cap ? 1 : 0,
  })
  const look = (): void => {
    grown = Math.max(grown, process.memoryUsage.rss() / mega - start)
    if (grown > cap) stop?.(values())
  }
  let nextLook = 0
  let nextRest = restEvery
  const meter: Meter = (length) => {
    seen += length
    if (seen >= nextLook) {
      nextLook = seen + sampleEvery
      look()
    }
    if (!slow || seen < nextRest) return undefined
    nextRest = seen + restEvery
    return sleep(rest)
  }
  // Also by the clock: a tool that keeps everything back never calls the meter.
  const timer = setInterval(look, 50)
  const whole = async (): Promise<Values> => {
    const ms = await timed(() => read(job.writer(size), meter))
    expect(seen === size, `${seen} of ${size} bytes were seen`)
    return {
      ...values(),
      seconds: ms / 1000,
      endMb: process.memoryUsage.rss() / mega - start,
    }
  }
  try {
    return await Promise.race([
      whole(),
      new Promise<Values>((resolve) => (stop = resolve)),
    ])
  } finally {
    clearInterval(timer)
  }
}

const measure = (slow: boolean): Measure => (tool, job) =>
  tool.lines === undefined && tool.bytes === undefined ? undefined : watch(tool, job, slow)

/** RSS growth in MB over a long output, read as fast as it comes. */
export const memory: Measure = measure(false)

/** The same, with a consumer that rests. */
export const memorySlow: Measure = measure(true)
