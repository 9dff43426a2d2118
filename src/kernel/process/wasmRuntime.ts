/** Collects the WASM runtime in one module, which the launcher imports for the first WASM program. */
import { ModuleCache } from "./ModuleCache.ts"

export { findJspi } from "./jspi.ts"
export { runWasm } from "./WasmProgram.ts"

export const moduleCache: ModuleCache = new ModuleCache(64)
