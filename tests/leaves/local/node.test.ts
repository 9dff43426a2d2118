import { NodeShell } from "@sluice/shell/runtimes"
import { runtime } from "./rawSpawn.ts"
import { shellContract } from "../../support/shellContract.ts"
import { localFlags } from "../../support/localFlags.ts"

shellContract(
  "NodeShell",
  { layer: NodeShell.layerWith, can: localFlags, everyCase: true, because: {} },
  runtime === "node",
)
