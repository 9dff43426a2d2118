/** The kernel's bench: `node bench/run.mjs kernel`, with the options of `readOptions`. */
import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { root } from "../machine.ts"
import { readOptions, runReport } from "../tables.ts"
import type { Job } from "./Job.ts"
import { tables } from "./plan.ts"
import { pythonFolder } from "./python.ts"

const options = readOptions()
const folder = join(root, "bench", ".cache", "kernel")
mkdirSync(folder, { recursive: true })
const source = join(import.meta.dirname, "stage.c")
const wasm = join(folder, "stage.wasm")
const native = join(folder, "stage")
execFileSync("clang", [
  "--target=wasm32-wasi",
  "-O2",
  "-s",
  source,
  "-o",
  wasm,
])
execFileSync("cc", ["-O2", source, "-o", native])
const jobOf = (size: number): Job => ({
  wasm,
  native,
  bytes: options.quick ? 64 * 1024 * 1024 : 1024 * 1024 * 1024,
  size,
  times: options.quick ? 50 : 500,
  turns: options.quick ? 20_000 : 1_000_000,
})
await runReport({
  name: "kernel",
  title: "Bench of the kernel",
  tables,
  // CPython takes minutes to build: it is measured where the slow suite has done that.
  skips: ({ row }) => row === "python" && pythonFolder() === undefined,
  commandOf: ({ row, size, tool }) => [
    join(import.meta.dirname, "measure.ts"),
    row,
    tool,
    JSON.stringify(jobOf(size)),
  ],
}, options)
