/** Assembles the import object `wasi_snapshot_preview1` of a process. */
import { contentFunctions } from "./contents.ts"
import { descriptorFunctions } from "./descriptors.ts"
import { directoryFunctions } from "./directories.ts"
import { environmentFunctions } from "./environment.ts"
import type { Memory } from "./GuestMemory.ts"
import { WasiInstance } from "./WasiInstance.ts"
import { openFunctions } from "./opening.ts"
import { pathFunctions } from "./paths.ts"
import { pollFunctions } from "./polling.ts"
import { socketFunctions } from "./sockets.ts"
import { transferFunctions } from "./transfers.ts"
import type { WasiFunctions } from "./WasiFunctions.ts"
import type { WasiProcess } from "./WasiProcess.ts"

/**
 * Makes the functions that a WASI program of a process imports. `memory` is called with the first of them.
 * `suspendingWasiFunctions` lists those that have to be suspending imports.
 */
export const wasiImports = (process: WasiProcess, memory: () => Memory): WasiFunctions => {
  const host = new WasiInstance(process, memory)
  return {
    ...environmentFunctions(host),
    ...descriptorFunctions(host),
    ...contentFunctions(host),
    ...transferFunctions(host),
    ...directoryFunctions(host),
    ...pathFunctions(host),
    ...openFunctions(host),
    ...pollFunctions(host),
    ...socketFunctions(host),
  }
}
