/**
 * The bench of leaves beside their own programs: `node bench/run.mjs leaves`, with the options of `readOptions`. It needs
 * Linux with `bwrap`, `sshd` and `podman`.
 */
import { join } from "node:path"
import { casesOf, readOptions, Runs } from "../tables.ts"
import { keyOf, tables } from "./plan.ts"

const options = readOptions()
const wanted = tables.filter(({ id }) => options.tables?.includes(id) ?? true)
const runs = new Runs({
  name: "leaves",
  title: "Bench of leaves",
  tables: wanted,
  keyOf,
  commandOf: (
    { row, through },
  ) => [
    join(import.meta.dirname, "measure.ts"),
    row,
    through,
    options.quick ? "quick" : "whole",
  ],
}, options)
await runs.all(casesOf(wanted, keyOf))
await runs.write()
