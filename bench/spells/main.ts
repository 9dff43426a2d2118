/** The bench of spells and agents: `node bench/run.mjs spells`, with the options of `readOptions`. */
import { join } from "node:path"
import { casesOf, readOptions, Runs } from "../tables.ts"
import { keyOf, tables } from "./plan.ts"

const options = readOptions()
const wanted = tables.filter(({ id }) => options.tables?.includes(id) ?? true)
const runs = new Runs({
  name: "spells",
  title: "Bench of spells and agents",
  tables: wanted,
  keyOf,
  commandOf: ({ count, row, through }) => [
    join(import.meta.dirname, "measure.ts"),
    row,
    through,
    String(options.quick ? Math.min(count, 200) : count),
  ],
}, options)
await runs.all(casesOf(wanted, keyOf))
await runs.write()
