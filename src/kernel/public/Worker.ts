/**
 * Declares the workers that a kernel runs isolated WASM programs in.
 *
 * @module
 */
export type { MakeWorker, WorkerEvents, WorkerHandle } from "../isolate/HostWorker.ts"
