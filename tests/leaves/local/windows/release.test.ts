import { expect, it } from "@effect/vitest"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ChildProcess } from "effect/process"
import { ShellExec } from "@sluice/shell"
import { findHost } from "../../../../src/host/findHost.ts"
import type { Host, HostProcess } from "../../../../src/host/Host.ts"
import { resolveLocalSettings } from "../../../../src/leaves/local/LocalShellOptions.ts"
import { makeLocalShell } from "../../../../src/leaves/local/makeLocalService.ts"
import { makeChildProcessSpawner } from "../../../../src/leaves/local/spawner/ChildProcessSpawner.ts"
import { scriptPrefix } from "./programs.ts"

/** This machine's host, with jobs that only write down what is done to them. */
const makeHost = (): { readonly host: Host; readonly log: ReadonlyArray<string> } => {
  const real = findHost()
  if (real === undefined) throw new Error("no process can be started here")
  const log: Array<string> = []
  const withJob = (process: HostProcess): HostProcess => ({
    ...process,
    onExit: (done) =>
      process.onExit((status) => {
        log.push("exit")
        done(status)
      }),
    job: {
      active: 0,
      exitCode: undefined,
      terminate: () => log.push("terminate"),
      endWithProgram: (ends) => log.push(`ends with us: ${ends}`),
      release: () => log.push("release"),
      isReleased: false,
    },
  })
  const spawn: Host["spawn"] = (request) => {
    const process = real.spawn(request)
    return process instanceof Promise ? process.then(withJob) : withJob(process)
  }
  return { host: { ...real, spawn }, log }
}

const [program, ...first] = scriptPrefix
const script = (code: string): ShellExec =>
  ShellExec.make(program, [...(first.length > 0 ? ["eval"] : ["-e"]), code], { grace: "1 second" })

it.live("lets go of a command's job once, when the run is over", () =>
  Effect.gen(function* () {
    const { host, log } = makeHost()
    yield* Stream.runDrain(makeLocalShell(host, resolveLocalSettings({})).exec(script("console.log(1)")))
    expect(log).toEqual(["exit", "release"])
  }))

it.live("releases the job of a process of Effect's spawner with its scope, and leaves an unrefed process running", () =>
  Effect.gen(function* () {
    const { host, log } = makeHost()
    const spawner = yield* makeChildProcessSpawner(host)
    const { arguments: args, command } = script("console.log(1)")
    const words = args.filter((word) => typeof word === "string")
    yield* Effect.scoped(Effect.gen(function* () {
      const { exitCode, unref } = yield* spawner.spawn(ChildProcess.make(command, words))
      const ref = yield* unref
      yield* ref
      yield* exitCode
    }))
    expect(log).toEqual(["ends with us: false", "ends with us: true", "exit", "release"])
  }))

// On Windows the job is what ends a command, and this one does nothing.
if (process.platform !== "win32") {
  it.live("lets go of a command's job once, also when the command had to be ended", () =>
    Effect.gen(function* () {
      const { host, log } = makeHost()
      const events = makeLocalShell(host, resolveLocalSettings({})).exec(
        script("console.log(1); setTimeout(() => {}, 20000)"),
      )
      yield* Stream.runDrain(Stream.take(events, 1))
      expect(log.filter((each) => each === "release")).toEqual(["release"])
    }))
}
