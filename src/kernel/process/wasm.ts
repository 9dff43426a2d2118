/**
 * What runs WASM programs. It is loaded with the first of them: who starts none needs none of it.
 *
 * @module
 */
import { ModuleCache } from "./ModuleCache.ts"

export { findJspi } from "./jspi.ts"
export { runWasm } from "./WasmProgram.ts"

/** Compiled programs of all kernels. */
export const modules: ModuleCache = new ModuleCache(64)
