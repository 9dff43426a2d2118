/**
 * One measurement in a process of its own: `measure.ts ROW TOOL JOB`, where JOB is the JSON of {@link WireJob}.
 * Writes one line of JSON: the values, or `null` if the tool cannot do it.
 */
import { writeSync } from "node:fs"
import process from "node:process"
import { measures } from "./rows/index.ts"
import type { Job, Sizes } from "./rows/Row.ts"
import { entries } from "./tools/index.ts"
import { writerCommand } from "./writer.ts"

/** How the driver describes a job. */
export interface WireJob {
  readonly sizes: Sizes
  readonly writer: string
  readonly nothing: string
  readonly shell: string
}

const numberOf = (value: unknown): number => {
  if (typeof value !== "number") {
    throw new Error(`not a number: ${String(value)}`)
  }
  return value
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined

const jobOf = (json: string): Job => {
  const wire: unknown = JSON.parse(json)
  const sizes = fieldOf(wire, "sizes")
  const size = (name: string): number => numberOf(fieldOf(sizes, name))
  const path = (name: string): string => String(fieldOf(wire, name))
  return {
    sizes: {
      spawns: size("spawns"),
      bytes: size("bytes"),
      lineBytes: size("lineBytes"),
      textBytes: size("textBytes"),
      memoryBytes: size("memoryBytes"),
    },
    nothing: { file: path("nothing"), args: [] },
    writer: (bytes) => writerCommand(path("writer"), bytes),
    shell: (script) => ({ file: path("shell"), args: ["-c", script] }),
  }
}

const [row = "", id = "", job = ""] = process.argv.slice(2)
const measure = measures[row]
const entry = entries.find((entry) => entry.id === id)
if (measure === undefined || entry === undefined) {
  throw new Error(`no such row or tool: ${row} ${id}`)
}
const values = await measure(await entry.load(), jobOf(job))
writeSync(1, `${JSON.stringify(values ?? null)}\n`)
// At once: what a tool left behind (timers, children that hang) is not waited for.
process.exit(0)
