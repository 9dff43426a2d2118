/**
 * Gathers what runs WASM programs, with the shared cache of compiled modules, into one file that the launcher imports
 * dynamically with the first such program.
 */
import { ModuleCache } from "./ModuleCache.ts"

export { findJspi } from "./jspi.ts"
export { runWasm } from "./WasmProgram.ts"

/** Compiled programs of all kernels. */
export const moduleCache: ModuleCache = new ModuleCache(64)
