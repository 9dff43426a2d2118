/** The bench of files: `node bench/run.mjs files`, with the options of `readOptions`. */
import { join } from "node:path"
import { casesOf, readOptions, Runs } from "../tables.ts"
import type { Job } from "./Job.ts"
import { keyOf, tables } from "./plan.ts"

const options = readOptions()
const wanted = tables.filter(({ id }) => options.tables?.includes(id) ?? true)
const job: Job = options.quick
  ? { large: 50, small: 2_000, searched: 2_000 }
  : { large: 500, small: 10_000, searched: 20_000 }
const runs = new Runs({
  name: "files",
  title: "Bench of files",
  tables: wanted,
  keyOf,
  commandOf: (
    { row, tool },
  ) => [
    join(import.meta.dirname, "measure.ts"),
    row,
    tool,
    JSON.stringify(job),
  ],
}, options)
await runs.all(casesOf(wanted, keyOf))
await runs.write()
