/** Starts programs under whatever permissions Deno was given, and prints the faults, one a line, as JSON. */
import * as Schema from "effect/Schema"
import { ShellExec } from "../../../src/command/ShellExec.ts"
import { ShellFault } from "../../../src/command/ShellFault.ts"
import { faultOfSpawnError } from "../../../src/host/faults/spawnError.ts"
import { rawSpawnError } from "./rawSpawn.ts"

const tries = [
  { file: "ls", options: {} },
  { file: "/bin/ls", options: {} },
  { file: "git", options: { env: { LD_PRELOAD: "/x.so" } } },
  { file: "no-such-program", options: {} },
]
for (const { file, options } of tries) {
  const error = await rawSpawnError(file, ["--version"], options)
  const fault = faultOfSpawnError(error, { exec: ShellExec.make(file), executable: file })
  console.log(JSON.stringify(Schema.encodeSync(ShellFault)(fault)))
}
