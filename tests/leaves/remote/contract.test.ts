import { LocalShell, type OptionError, Shell } from "@sluice/shell"
import { shellRoutes } from "@sluice/shell/http"
import { RemoteShell } from "@sluice/shell/remote"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { vi } from "vitest"
import { serve } from "../../http/serve.ts"
import type { ContractSettings } from "../../support/contract/target.ts"
import { localFlags } from "../../support/localFlags.ts"
import { shellContract } from "../../support/shellContract.ts"

// Client and server are one process here: what one promise makes them work on, the timers of another would wait for. So
// few promises are tested at once.
vi.setConfig({ maxConcurrency: 2 })

const token = "t0ken"

/** A server on a socket of this runtime, over the local leaf with these settings, and a client of it. */
const layer = (settings: ContractSettings): Layer.Layer<Shell, OptionError> =>
  Layer.unwrap(Effect.gen(function* () {
    const { capabilities } = yield* Shell
    const context = yield* Effect.context<Shell>()
    const routes = yield* Effect.acquireRelease(
      Effect.sync(() => shellRoutes({ context, token, maxConcurrency: 1_000 })),
      (all) => Effect.promise(() => all.dispose()),
    )
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => serve(routes.fetch)),
      (one) => Effect.promise(() => one.stop()),
    )
    return RemoteShell.layer({ url: `http://127.0.0.1:${server.port}/`, token, capabilities })
  })).pipe(Layer.provide(LocalShell.layerWith(settings)))

// The server runs a command up to 1 MiB ahead of its reader: it is held, but not at once. What is read is from its journal,
// where a secret that a command prints has a marker.
shellContract("RemoteShell, over a server with the local leaf", {
  layer,
  can: { ...localFlags, backPressure: false, clock: false, inOrder: false, secrets: false },
  because: {
    backPressure: "the server runs a command up to 1 MiB ahead of its reader",
    clock: "the server has a clock of its own",
    inOrder: "no order over several connections",
    secrets: "the server's journal has a marker in the place of a secret",
  },
})
