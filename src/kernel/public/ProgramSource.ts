/**
 * Sources of programs: functions and WASM modules, with where they run and which folders they see.
 *
 * @module
 */
export type { Isolation, ModuleSource, Preopens, ProgramSource, WasmSource } from "../process/Programs.ts"
