/** One measurement in a process of its own: `measure.ts ROW STORE LEVEL JOB` prints values as a line of JSON. */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import type { Values } from "../rows/Row.ts"
import { append, floor, together } from "./append.ts"
import { decodeJob, type Job } from "./Job.ts"
import { makeLarge, openLarge } from "./large.ts"
import { appendPings, localLatency, otherLatency } from "./latency.ts"
import type { Level } from "./rows.ts"

const isLevel = (text: string): text is Level => text === "memory" || text === "os" || text === "disk"

const measure = (
  row: string,
  store: string,
  level: Level,
  job: Job,
): Promise<Values> => {
  switch (row) {
    case "append":
      return append(store, level, job)
    case "floor":
      return floor(store, level, job)
    case "together":
      return together(store, level, job)
    case "local":
      return localLatency(store, job)
    case "other":
      return otherLatency(store, job)
    case "makeLarge":
      return makeLarge(job)
    case "openLarge":
      return openLarge(job)
    default:
      throw new Error(`no such row: ${row}`)
  }
}

const [row = "", store = "", level = "", text = ""] = process.argv.slice(2)
if (!isLevel(level)) throw new Error(`no such level: ${level}`)
const given = decodeJob(text)
if (row === "pings") await appendPings(store, given)
else {
  const folder = join(given.folder, `${row}-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  try {
    const values = await measure(row, store, level, { ...given, folder })
    process.stdout.write(`${JSON.stringify(values)}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
