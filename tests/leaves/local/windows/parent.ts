/**
 * A program of its own: says what the leaf can, then runs a command to its end, and goes when its heartbeat has been heard:
 * `parent.ts jobs|none COMMAND HEARTBEAT`
 */
import { statSync } from "node:fs"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Shell, ShellExec, WindowsShell } from "../../../../mod.ts"

const [jobs, command, heartbeat] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const { capabilities } = yield* Shell
  console.log(capabilities.groupKill)
  if (command === undefined || heartbeat === undefined) return
  yield* Stream.runDrain(Shell.exec(ShellExec.make(command, [heartbeat])))
  for (let tries = 0; tries < 100 && !((statSync(heartbeat, { throwIfNoEntry: false })?.size ?? 0) > 3); tries++) {
    yield* Effect.sleep("50 millis")
  }
})

await Effect.runPromise(Effect.provide(program, WindowsShell.layer({ useJobObjects: jobs !== "none" })))
