import * as Layer from "effect/Layer"
import { LocalShell } from "@sluice/shell"
import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
import { localFlags } from "../support/localFlags.ts"
import { shellContract } from "../support/shellContract.ts"

// A journal around a leaf changes nothing of what the leaf promises.
shellContract("JournaledShell, around the local leaf", {
  layer: (settings) =>
    JournaledShell.layer.pipe(
      Layer.provide(LocalShell.layerWith(settings)),
      Layer.provide(Layer.orDie(MemoryJournal.layer)),
    ),
  can: localFlags,
  because: {},
})
