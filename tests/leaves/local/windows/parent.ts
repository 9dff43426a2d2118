/**
 * A program of its own: says what the leaf can, then runs a command to its end, and goes when its heartbeat has been heard:
 * `parent.ts jobs|none|outside COMMAND HEARTBEAT`. With `outside` it starts the command itself, in a job object, but outside of the
 * one that the runtime has for its children. As soon as the command is in its job it writes `HEARTBEAT.held`: a program that is killed
 * before that leaves the command behind, which no runtime can prevent.
 */
import { statSync, writeFileSync } from "node:fs"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Shell, ShellExec, WindowsShell } from "../../../../mod.ts"
import { findHost } from "../../../../src/host/findHost.ts"

const [jobs, command, heartbeat] = process.argv.slice(2)

const startOutside = async (command: string, heartbeat: string): Promise<void> => {
  const host = findHost()
  const child = await host?.spawn({
    file: `${process.env.SystemRoot}\\System32\\cmd.exe`,
    args: ["/d", "/c", command, heartbeat],
    cwd: undefined,
    env: undefined,
    stdin: "null",
    stdout: "null",
    stderr: "null",
    detached: true,
    verbatim: false,
    job: true,
  })
  writeFileSync(`${heartbeat}.held`, "held")
  await new Promise<void>((resolve) => child?.onExit(() => resolve()))
}

const program = Effect.gen(function* () {
  const { capabilities } = yield* Shell
  console.log(capabilities.groupKill)
  if (command === undefined || heartbeat === undefined) return
  if (jobs === "outside") return yield* Effect.promise(() => startOutside(command, heartbeat))
  // A line for left.cmd, which it gets when it is in its job, and not before.
  const input = command.endsWith("left.cmd") && jobs === "jobs" ? { input: "go\r\n" } : {}
  const output = Shell.exec(ShellExec.make(command, [heartbeat], input))
  yield* Stream.runForEach(output, () => Effect.sync(() => writeFileSync(`${heartbeat}.held`, "held")))
  for (let tries = 0; tries < 100 && !((statSync(heartbeat, { throwIfNoEntry: false })?.size ?? 0) > 3); tries++) {
    yield* Effect.sleep("50 millis")
  }
})

await Effect.runPromise(Effect.provide(program, WindowsShell.layerWith({ useJobObjects: jobs !== "none" })))
