/**
 * The bench of leaves beside their own programs: `node bench/run.mjs leaves`, with the options of `readOptions`. It needs
 * Linux with `bwrap`, `sshd` and `podman`.
 */
import { join } from "node:path"
import { readOptions, runReport } from "../tables.ts"
import { tables } from "./plan.ts"

const options = readOptions()
await runReport({
  name: "leaves",
  title: "Bench of leaves",
  tables,
  commandOf: (
    { row, through },
  ) => [
    join(import.meta.dirname, "measure.ts"),
    row,
    through,
    options.quick ? "quick" : "whole",
  ],
}, options)
