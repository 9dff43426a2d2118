/**
 * A program of its own: says what the leaf can, then runs a command until it is killed. `parent.ts COMMAND ARG…`
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Shell, ShellExec, WindowsShell } from "../../../../mod.ts"

const [command, ...args] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const { capabilities } = yield* Shell
  console.log(capabilities.groupKill)
  if (command !== undefined) yield* Stream.runDrain(Shell.exec(ShellExec.make(command, args)))
})

await Effect.runPromise(Effect.provide(program, WindowsShell.layer()))
