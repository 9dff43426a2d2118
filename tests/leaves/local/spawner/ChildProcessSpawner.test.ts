import { layer } from "@sluice/shell/spawner"
import { runtime } from "../rawSpawn.ts"
import { spawnerContract } from "./contract.ts"
import type { SpawnerFlags } from "./contract/target.ts"

const does: SpawnerFlags = {
  wholeTrees: true,
  readsOn: true,
  typedThrows: true,
  // Deno tells a program the path it was found at.
  argv0: runtime !== "deno",
  hearsLastWords: true,
  endsWriters: true,
}

spawnerContract("the spawner of the runtime", { layer, does })
