import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LocalShell, Shell } from "@sluice/shell"
import { DaemonShell, ShellDaemon } from "@sluice/shell/daemon"
import { MemoryJournal } from "@sluice/shell/journal"
import { localFlags } from "../support/localFlags.ts"
import type { ContractSettings } from "../support/contract/target.ts"
import { shellContract } from "../support/shellContract.ts"

const layer = (settings: ContractSettings) =>
  Layer.unwrap(Effect.gen(function* () {
    const { capabilities } = yield* Shell
    // The leaf decides what waits. A lease is not renewed in the tests that let days go by.
    const daemon = Layer.orDie(ShellDaemon.layerWith({ maxConcurrency: 1_000, lease: "2 days" }))
    return Layer.merge(DaemonShell.layerWith({ capabilities }), daemon)
  })).pipe(
    Layer.provide(LocalShell.layerWith(settings)),
    Layer.provide(Layer.orDie(MemoryJournal.layerWith({ maxBytes: Infinity }))),
  )

// A request through a journal gets what a leaf gives, except for what cannot be recorded, and for back-pressure: the
// command waits for the journal, and not for its reader.
shellContract("DaemonShell, with a ShellDaemon on the local leaf", {
  layer,
  can: { ...localFlags, backPressure: false, secretWords: false, stdinStreams: false },
  because: {
    backPressure: "a command waits for the journal, not for its reader",
    secretWords: "a request is journaled",
    stdinStreams: "a request is journaled",
  },
})
