/**
 * Effect's own `ChildProcessSpawner` over a host.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ChildProcessSpawner, make } from "effect/process/ChildProcessSpawner"
import type { Host } from "../Host.ts"
import { makeResolver } from "../resolve-cache.ts"
import { makeTerminator } from "../terminate.ts"
import { spawnPipeline } from "./spawnPipeline.ts"
import type { SpawnContext } from "./spawnStandard.ts"

/** Makes the service of a host. */
export const makeChildProcessSpawner = (host: Host): ChildProcessSpawner["Service"] => {
  const context: SpawnContext = {
    host,
    platform: host.os === "windows" ? "windows" : "posix",
    terminator: makeTerminator(host),
    resolve: makeResolver(),
  }
  return make((command) => spawnPipeline(context, command))
}

/** A layer of the service, of a host that is looked for when the layer is built; a defect when there is none. */
export const layerOfHost = (runtime: string, host: () => Host | undefined): Layer.Layer<ChildProcessSpawner> =>
  Layer.effect(
    ChildProcessSpawner,
    Effect.suspend(() => {
      const found = host()
      return found === undefined
        ? Effect.die(new Error(`This spawner needs ${runtime}: here no process can be started. Use another one.`))
        : Effect.succeed(makeChildProcessSpawner(found))
    }),
  )
