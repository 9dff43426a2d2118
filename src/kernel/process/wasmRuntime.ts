/**
 * Re-exports what WASM programs need, with the shared module cache, so that the launcher imports all of it with the
 * first such program.
 *
 * @module
 */
import { ModuleCache } from "./ModuleCache.ts"

export { findJspi } from "./jspi.ts"
export { runWasm } from "./WasmProgram.ts"

/** Compiled programs of all kernels. */
export const moduleCache: ModuleCache = new ModuleCache(64)
