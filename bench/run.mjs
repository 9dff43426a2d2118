/**
 * `node bench/run.mjs [--quick] …`: installs what is missing, finds the runtimes, and hands over to `main.ts` on a
 * Node that runs TypeScript. Every option is in `options.ts`.
 *
 * Plain JavaScript that runs on Node 20 and needs no package.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { dirname, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { ensureInstalled } from "../scripts/install.mjs"
import { findRuntime, runtimeNames } from "../scripts/runtimes.mjs"

const bench = dirname(fileURLToPath(import.meta.url))
const root = dirname(bench)
ensureInstalled(root)
ensureInstalled(bench)

const runtimes = runtimeNames.flatMap((name) => {
  const path = findRuntime(name, root)
  return path === undefined ? [] : [[name, path]]
})
const node = runtimes.find(([name]) => name === "node")
if (node === undefined) {
  process.stderr.write(
    "bench: needs a Node of 22.19 or newer, and npm brought none\n",
  )
  process.exit(1)
}
const { status } = spawnSync(node[1], [
  // Benches of their own: their rows are not tools that start programs.
  join(
    bench,
    ["files", "journal", "kernel", "leaves", "spells"].includes(
        process.argv[2] ?? "",
      )
      ? `${process.argv[2]}/main.ts`
      : "main.ts",
  ),
  ...process.argv.slice(2),
], {
  stdio: "inherit",
  env: {
    ...process.env,
    SLUICE_BENCH_RUNTIMES: JSON.stringify(Object.fromEntries(runtimes)),
  },
})
process.exit(status ?? 1)
