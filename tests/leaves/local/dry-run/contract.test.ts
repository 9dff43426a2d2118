/** Tests the contract's faults of commands that cannot run, on the shell that runs none. */
import { DryRunShell } from "../../../../src/leaves/local/DryRunShell.ts"
import { localFlags } from "../../../support/localFlags.ts"
import { shellContract } from "../../../support/shellContract.ts"

shellContract("DryRunShell", {
  layer: DryRunShell.layerWith,
  can: { ...localFlags, machine: false, files: false, trees: false },
  parts: ["environment", "places", "faults"],
  because: Object.fromEntries(
    [
      ...[
        "machine",
        "files",
        "trees",
        "events",
        "chunks",
        "text",
        "budget",
        "merged",
        "stdin",
        "times",
        "ending",
        "queue",
      ],
      ...["completion", "limits", "clock", "terminals"],
    ].map((what) => [what, "nothing runs"]),
  ),
})
