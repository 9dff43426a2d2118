/**
 * A layer of the Shell service, of a host that is looked for when the layer is built.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { Shell } from "../../shell/Shell.ts"
import type { Host } from "./Host.ts"
import { type LocalShellOptions, settingsOf } from "./LocalShellOptions.ts"
import { makeLeaf } from "./makeLocalShell.ts"
import { serviceOfHost } from "./serviceOfHost.ts"

/** Builds the service; a defect when this is not the runtime that was asked for. */
export const layerOfHost = (
  runtime: string,
  host: () => Host | undefined,
  options: LocalShellOptions,
): Layer.Layer<Shell> =>
  serviceOfHost(
    Shell,
    "leaf",
    runtime,
    host,
    (found) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => makeLeaf(found, settingsOf(options))),
          ({ close }) => Effect.sync(close),
        ),
        ({ shell }) => shell,
      ),
  )
