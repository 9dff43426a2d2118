/** Runs a command that may start no process, as a user other than root, and prints its result. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { LocalShell, Shell, ShellExec } from "../../../mod.ts"

if (process.getuid?.() === 0) process.setuid?.(65_534)

const exec = ShellExec.shell("/bin/true && echo forked", { limits: { processes: 1 }, streamOutput: false })
const program = Effect.gen(function* () {
  const { capabilities } = yield* Shell
  const last = yield* Stream.runLast(Shell.exec(exec))
  return { limits: capabilities.limits, output: last._tag === "Some" ? last.value : undefined }
})
console.log(JSON.stringify(await Effect.runPromise(Effect.provide(program, LocalShell.layer))))
