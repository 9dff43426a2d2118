import { LocalShell } from "@sluice/shell"
import { localFlags } from "../../support/localFlags.ts"
import { shellContract } from "../../support/shellContract.ts"

// LocalShell is the leaf of the runtime, which keeps the whole contract in the test named after the runtime.
shellContract("LocalShell", {
  layer: LocalShell.layerWith,
  can: { ...localFlags, clock: false },
  parts: ["events", "environment", "places", "ending", "faults"],
})
