/**
 * Takes away what a spawn needs (`descriptors` or `processes`), runs a command, and prints the fault as JSON; then
 * gives it back, and runs one again in the only slot. A separate program, so
 * that other tests keep their descriptors.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { execFileSync } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { LocalShell, Shell, ShellExec, ShellFault } from "../../../mod.ts"

const limit = (flag: string): void => void execFileSync("prlimit", ["--pid", String(process.pid), flag])

const opened: Array<number> = []
const exhaust = (what: string | undefined): void => {
  if (what === "descriptors") {
    limit("--nofile=200:200")
    try {
      while (true) opened.push(openSync("/dev/null", "r"))
    } catch {
      // That was the last one.
    }
    return
  }
  limit("--nproc=1:1")
  // The limit does not hold for root.
  if (process.getuid?.() === 0) process.setuid?.(65_534)
}

const giveBack = (): void => {
  for (const descriptor of opened) closeSync(descriptor)
}

const command = Stream.runCollect(Shell.exec(ShellExec.make("/bin/echo", ["hello"])))
const program = Effect.gen(function* () {
  // The runtime loads what it needs for a spawn while it still can.
  yield* command
  exhaust(process.argv.at(-1))
  const fault = yield* Effect.flip(command)
  giveBack()
  const again = process.argv.at(-1) === "descriptors" ? (yield* command).length : undefined
  return { fault: Schema.encodeSync(ShellFault)(fault), again }
})
// Without the listeners of `cleanup`: Bun 1.4.5 aborts when it has signal listeners and may start no thread.
const shell = LocalShell.layerWith({ maxConcurrency: 1, cleanup: false })
console.log(JSON.stringify(await Effect.runPromise(Effect.provide(program, shell))))
