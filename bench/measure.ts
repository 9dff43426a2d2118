/**
 * One measurement in a process of its own: `measure.ts ROW TOOL JOB`, where JOB is the JSON of {@link WireJob}.
 * Writes one line of JSON: the values, or `null` if the tool cannot do it.
 */
import { writeSync } from "node:fs"
import process from "node:process"
import { caseMeasures, measures } from "./rows/index.ts"
import type { Job, Sizes, Values } from "./rows/Row.ts"
import { entries } from "./tools/index.ts"
import { writerCommand } from "./writer.ts"

/** How the driver describes a job. */
export interface WireJob {
  readonly sizes: Sizes
  readonly writer: string
  readonly nothing: string
  readonly shell: string
  readonly folder: string
}

// Not decoded by a schema: its modules would be part of what is measured.
const jobOf = ({ folder, nothing, shell, sizes, writer }: WireJob): Job => ({
  sizes,
  folder,
  nothing: { file: nothing, args: [] },
  writer: (bytes) => writerCommand(writer, bytes),
  shell: (script) => ({ file: shell, args: ["-c", script] }),
})

const [row = "", id = "", json = ""] = process.argv.slice(2)
const wire: WireJob = JSON.parse(json)
const job = jobOf(wire)

const run = async (): Promise<Values | undefined> => {
  const load = caseMeasures[row]
  if (load !== undefined) return await (await load())(id, job)
  const measure = measures[row]
  const entry = entries.find((entry) => entry.id === id)
  if (measure === undefined || entry === undefined) {
    throw new Error(`no such row or tool: ${row} ${id}`)
  }
  return await measure(await entry.load(), job)
}

writeSync(1, `${JSON.stringify((await run()) ?? null)}\n`)
// At once: what a tool left behind (timers, children that hang) is not waited for.
process.exit(0)
