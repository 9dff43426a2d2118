/**
 * Takes away what a spawn needs (`descriptors` or `processes`), starts /bin/true by the runtime's own API, and
 * prints the fault as JSON. A separate program, so that other tests keep their descriptors.
 */
import * as Schema from "effect/Schema"
import { spawnSync } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { ShellExec } from "../../../src/command/ShellExec.ts"
import { ShellFault } from "../../../src/command/ShellFault.ts"
import { faultOfSpawnError } from "../../../src/host/faults/spawnError.ts"
import { rawSpawn, rawSpawnError } from "./rawSpawn.ts"

const executable = "/bin/true"
// The runtime loads what it needs for a spawn while it still can.
await rawSpawn(executable)

const limit = (flag: string) => {
  const { status, stderr } = spawnSync("prlimit", ["--pid", String(process.pid), flag], { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
}

const opened: Array<number> = []
if (process.argv[2] === "descriptors") {
  limit("--nofile=200:200")
  try {
    while (true) opened.push(openSync("/dev/null", "r"))
  } catch {
    // That was the last one.
  }
} else {
  limit("--nproc=1:1")
  // The limit does not hold for root.
  if (process.getuid?.() === 0) process.setuid?.(65_534)
}

const error = await rawSpawnError(executable)
for (const descriptor of opened) closeSync(descriptor)
const fault = faultOfSpawnError(error, { exec: ShellExec.make(executable), executable })
console.log(JSON.stringify(Schema.encodeSync(ShellFault)(fault)))
