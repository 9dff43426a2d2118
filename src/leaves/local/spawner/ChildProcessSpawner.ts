/**
 * Effect's own `ChildProcessSpawner` over a host.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ChildProcessSpawner, make } from "effect/process/ChildProcessSpawner"
import type { Host } from "../Host.ts"
import { makeResolver } from "../makeResolver.ts"
import { requireHost } from "../requireHost.ts"
import { makeTerminator } from "../Terminator.ts"
import { spawnPipeline } from "./spawnPipeline.ts"
import type { SpawnContext } from "./ScopedProcess.ts"

/** Makes the service of a host. What it cannot end it says at once. */
export const makeChildProcessSpawner = (host: Host): Effect.Effect<ChildProcessSpawner["Service"]> =>
  Effect.gen(function* () {
    const terminator = makeTerminator(host)
    const platform = host.os === "windows" ? "windows" : "posix"
    if (platform === "posix" && terminator.treeOf === undefined) {
      yield* Effect.logWarning(
        "Processes end here without what they have started: on Deno, --allow-run or --allow-run=sh mends that",
      )
    }
    const context: SpawnContext = { host, platform, terminator, resolve: makeResolver() }
    return make((command) => spawnPipeline(context, command))
  })

/** A layer of the service, of a host that is looked for when the layer is built; a defect when there is none. */
export const spawnerOfHost = (runtime: string, findHost: () => Host | undefined): Layer.Layer<ChildProcessSpawner> =>
  Layer.effect(ChildProcessSpawner, Effect.flatMap(requireHost("spawner", runtime, findHost), makeChildProcessSpawner))
