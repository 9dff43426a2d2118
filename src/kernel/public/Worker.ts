/**
 * Exports the types of the workers in which a kernel runs WASM programs.
 *
 * @module
 */
export type { MakeWorker, WorkerEvents, WorkerHandle } from "../worker/HostWorker.ts"
