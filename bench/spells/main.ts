/** The bench of spells and agents: `node bench/run.mjs spells`, with the options of `readOptions`. */
import { join } from "node:path"
import { readOptions, runReport } from "../tables.ts"
import { tables } from "./plan.ts"

const options = readOptions()
await runReport({
  name: "spells",
  title: "Bench of spells and agents",
  tables,
  commandOf: ({ count, row, through }) => [
    join(import.meta.dirname, "measure.ts"),
    row,
    through,
    String(options.quick ? Math.min(count, 200) : count),
  ],
}, options)
