/**
 * Compiles WASM programs with stop checks and starts them in workers.
 *
 * @module
 */
import { ModuleCache } from "../process/ModuleCache.ts"
import type { Process } from "../process/Process.ts"
import type { ModuleSource } from "../process/Programs.ts"
import type { WasmContext } from "../process/WasmProgram.ts"
import { hostWorkers, type MakeWorker } from "./HostWorker.ts"
import { NotIsolable } from "./NotIsolable.ts"
import { runIsolated } from "./runIsolated.ts"
import { makeStoppable } from "./makeStoppable.ts"

/** Compiled stoppable programs of all kernels. */
const programs = new ModuleCache(16, makeStoppable)

/** Compiles a program and starts it in a worker. A failure is the fault of its process. */
export const launchIsolated = async (
  context: Pick<WasmContext, "core" | "extensions" | "network" | "preopens">,
  process: Process,
  source: ModuleSource,
  workers: MakeWorker | undefined = hostWorkers(),
): Promise<void> => {
  try {
    if (workers === undefined) throw new NotIsolable(NotIsolable.noWorkers)
    if (!(source instanceof Uint8Array)) throw new NotIsolable("it takes the program's bytes, not a compiled module")
    const compiled = programs.known(source) ?? await programs.compile(source)
    if (process.status === undefined) runIsolated(context, process, compiled, workers)
  } catch (cause) {
    process.fault(cause)
  }
}
