/** Closing leaves whose engine never answers. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import { ContainerFileSystem, ContainerShell } from "@sluice/shell/container"
import { Shell, ShellExec } from "@sluice/shell"
import { Files } from "@sluice/shell/files"
import { eventually } from "../../support/eventually.ts"
import { workshop } from "../../support/workshop.ts"

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Pulls an image without end, and starts nothing in a container that is paused; `log` has the process ids. */
const engineScript = (log: string): string =>
  `#!/bin/sh
echo "$1 $$ $*" >> '${log}'
case $1 in run|exec) exec sleep 600 ;; esac
`

/** Uses a leaf, gives that up, and closes it. Succeeds with the calls of the engine. */
const closes = <I, E>(use: Effect.Effect<unknown, unknown, I>, layerOf: (program: string) => Layer.Layer<I, E>) =>
  Effect.gen(function* () {
    const files = yield* workshop
    const program = files.write("engine", engineScript(files.path("log")), 0o755)
    const log = (): ReadonlyArray<string> => files.read("log").split("\n")
    const silent = () => log().filter((line) => /^(?:run|exec) /.test(line)).map((line) => Number(line.split(" ")[1]))
    yield* Effect.gen(function* () {
      const used = yield* Effect.forkChild(use)
      yield* eventually("the engine is asked", () => silent().length > 0)
      yield* Fiber.interrupt(used)
    }).pipe(Effect.provide(layerOf(program)))
    expect(silent().map(isAlive)).toEqual([false])
    return log()
  })

/** The watchdog looks for a container that was made nevertheless. */
const looked = expect.arrayContaining([expect.stringMatching(/^ps .*--filter label=dev\.sluice\.owner=/)])

describe.runIf(process.platform === "linux")("an engine that does not answer is ended", { concurrent: true }, () => {
  it.live("when a shell closes while an image is pulled", () =>
    Effect.gen(function* () {
      const layerOf = (program: string) => ContainerShell.layer({ program, image: "a", reuse: true })
      expect(yield* closes(Shell.run(ShellExec.make("true")), layerOf)).toEqual(looked)
    }))

  it.live("when a file system closes while an image is pulled", () =>
    Effect.gen(function* () {
      const layerOf = (program: string) => ContainerFileSystem.layer({ program, image: "a" })
      expect(yield* closes(Files.readText("a"), layerOf)).toEqual(looked)
    }))

  it.live("when a file system closes whose container is paused", () =>
    closes(Files.readText("a"), (program) => ContainerFileSystem.layer({ program, container: "a" })))
})
