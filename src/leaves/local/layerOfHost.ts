/**
 * A layer of the Shell service, of a host that is looked for when the layer is built.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Shell } from "../../shell/Shell.ts"
import type { Host } from "./Host.ts"
import { type LocalShellOptions, settingsOf } from "./LocalShellOptions.ts"
import { makeLocalShell } from "./makeLocalShell.ts"

/** Builds the service; a defect when this is not the runtime that was asked for: no layer can mend that. */
export const layerOfHost = (
  runtime: string,
  host: () => Host | undefined,
  options: LocalShellOptions,
): Layer.Layer<Shell> =>
  Layer.effect(
    Shell,
    Effect.suspend(() => {
      const found = host()
      return found === undefined
        ? Effect.die(new Error(`This leaf needs ${runtime}: here no process can be started. Use another leaf.`))
        : Effect.succeed(makeLocalShell(found, settingsOf(options)))
    }),
  )
