/** The bench of files: `node bench/run.mjs files`, with the options of `readOptions`. */
import { join } from "node:path"
import { readOptions, runReport } from "../tables.ts"
import type { Job } from "./Job.ts"
import { tables } from "./plan.ts"

const options = readOptions()
const job: Job = options.quick
  ? { large: 50, small: 2_000, searched: 2_000 }
  : { large: 500, small: 10_000, searched: 20_000 }
await runReport({
  name: "files",
  title: "Bench of files",
  tables,
  commandOf: (
    { row, tool },
  ) => [
    join(import.meta.dirname, "measure.ts"),
    row,
    tool,
    JSON.stringify(job),
  ],
}, options)
