/** The server's bench: `node bench/run.mjs server`, with the options of `readOptions`. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { root } from "../machine.ts"
import { casesOf, readOptions, Runs } from "../tables.ts"
import { prepareWriter } from "../writer.ts"
import type { Job } from "./Job.ts"
import { keyOf, tables } from "./plan.ts"

const options = readOptions()
const wanted = tables.filter(({ id }) => options.tables?.includes(id) ?? true)
const cache = join(root, "bench", ".cache")
mkdirSync(cache, { recursive: true })
const writer = prepareWriter(join(root, "bench", "writer.c"), cache)
const jobOf = (connections: number): Job => ({
  requests: options.quick ? 200 : 3_000,
  connections,
  lineBytes: options.quick ? 6_000_000 : 120_000_000,
  writer,
})
const runs = new Runs({
  name: "server",
  title: "Bench of the execution server",
  tables: wanted,
  keyOf,
  commandOf: ({ connections, row, tool }) => [
    join(import.meta.dirname, "measure.ts"),
    row,
    tool,
    JSON.stringify(jobOf(connections)),
  ],
}, options)
await runs.all(casesOf(wanted, keyOf))
await runs.write()
