/** Makes Effect's `ChildProcessSpawner` service over a host, and its layer. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ChildProcessSpawner, make } from "effect/process/ChildProcessSpawner"
import type { Host } from "../../../host/Host.ts"
import { makeResolver } from "../plan/makeResolver.ts"
import { requireHost } from "../../../host/requireHost.ts"
import { makeTerminator } from "../end/Terminator.ts"
import { spawnPipeline } from "./spawnPipeline.ts"
import type { SpawnerContext } from "./ScopedProcess.ts"

/** Makes the service. Logs a warning if it cannot end process trees. */
export const makeChildProcessSpawner = (host: Host): Effect.Effect<ChildProcessSpawner["Service"]> =>
  Effect.gen(function* () {
    const terminator = makeTerminator(host)
    const platform = host.os === "windows" ? "windows" : "posix"
    if (platform === "posix" && terminator.treeOf === undefined) {
      yield* Effect.logWarning(
        "Descendants of processes cannot be ended here: on Deno, allow it with --allow-run or --allow-run=sh",
      )
    }
    const context: SpawnerContext = { host, platform, terminator, resolve: makeResolver() }
    return make((command) => spawnPipeline(context, command))
  })

/** Makes a layer of the service; a defect if `findHost` finds no host. */
export const spawnerOfHost = (runtime: string, findHost: () => Host | undefined): Layer.Layer<ChildProcessSpawner> =>
  Layer.effect(ChildProcessSpawner, Effect.flatMap(requireHost("spawner", runtime, findHost), makeChildProcessSpawner))
