/**
 * Loads the modules that run WASM programs, with the first such program.
 *
 * @module
 */
import { ModuleCache } from "./ModuleCache.ts"

export { findJspi } from "./jspi.ts"
export { runWasm } from "./WasmProgram.ts"

/** Compiled programs of all kernels. */
export const modules: ModuleCache = new ModuleCache(64)
