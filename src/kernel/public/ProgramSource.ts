/**
 * Exports the types of a program's source: a function or a WASM module, where it runs, and which folders it sees.
 *
 * @module
 */
export type { Isolation, ModuleSource, Preopens, ProgramSource, WasmSource } from "../process/Programs.ts"
