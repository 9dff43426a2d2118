/** The contract of shells in one container that all commands share, which has the temporary folder of this machine. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { afterAll } from "vitest"
import { Shell } from "@sluice/shell"
import { Container } from "@sluice/shell/container"
import { engineOptions, makeRootfs } from "../../support/rootfs.ts"
import { shellContract } from "../../support/shellContract.ts"

const fixtures = fileURLToPath(new URL("../../fixtures", import.meta.url))
const rootfs = makeRootfs()
const scope = Scope.makeUnsafe()
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rootfs.remove()
})

// One container for all: most promises need no leaf of their own, and no leaf needs a container of its own.
const container = rootfs.canRun
  ? await Effect.runPromise(Scope.provide(
    Container.make({
      ...engineOptions,
      rootfs: rootfs.path,
      mounts: [{ source: tmpdir(), target: tmpdir() }, { source: fixtures, target: fixtures, readOnly: true }],
    }),
    scope,
  ))
  : undefined
const env = { HOME: "/root" }
const shared = container === undefined
  ? undefined
  : await Effect.runPromise(Scope.provide(container.shell({ env, maxConcurrency: 16 }), scope))

shellContract("ContainerShell", {
  // What is left out (events, chunks, budgets, text, queues) is the code of src/shell, which the suites of other leaves run.
  usualParts: [
    "stdin",
    "environment",
    "places",
    "times",
    "ending",
    "faults",
    "trees",
  ],
  layer: (settings) => {
    if (container === undefined || shared === undefined) return Layer.effect(Shell, Effect.die("no container"))
    return Object.keys(settings).length === 0
      ? Layer.succeed(Shell, shared)
      : Layer.effect(Shell, container.shell({ env, warm: 0, ...settings }))
  },
  can: {
    files: true,
    trees: true,
    escapees: true,
    // The script that ends a tree may be too slow in a shared container; one of its own is removed.
    runaways: false,
    silentSignals: false,
    backPressure: true,
    // `ulimit` has no limit of files in bytes.
    limits: false,
    clock: true,
    // Relative programs begin at the directory of the container, not of this process.
    resolvesPath: false,
    quickStart: false,
  },
  because: {
    runaways: "the script that ends a tree may be too slow in a shared container, and one of its own is removed",
    silentSignals: "shells do not tell SIGINT and SIGPIPE from the exit codes",
    limits: "`ulimit` has no limit of files in bytes",
    resolvesPath: "relative programs begin at the directory of the container",
    quickStart: "the engine starts each command, in half a second on a loaded machine",
  },
}, rootfs.canRun)
