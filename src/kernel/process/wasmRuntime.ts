/** Gathers what runs WASM programs into one file, which the launcher imports with the first of them. */
import { ModuleCache } from "./ModuleCache.ts"

export { findJspi } from "./jspi.ts"
export { runWasm } from "./WasmProgram.ts"

export const moduleCache: ModuleCache = new ModuleCache(64)
