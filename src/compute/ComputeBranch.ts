/**
 * The Compute branch: commands and what they bring as entries of a journal, and the shells that are built on it.
 *
 * `Journaled` puts a journal around a shell. `ShellDaemon` runs what others ask for in the journal, and `ShellClient` is
 * the shell of those who ask. `RunRecorder` and `RunPlayer` translate between a run and its entries.
 *
 * Source: Compute Branch.
 *
 * @module
 */
export { Compute, ComputeEvent } from "./Compute.ts"
export {
  ChunkingRecord,
  type ChunkingRecordFields,
  type ComputeRequest,
  Delivery,
  type DeliveryFields,
} from "./ComputeRequest.ts"
export * as Journaled from "./Journaled.ts"
export { isLastEvent, RunPlayer } from "./RunPlayer.ts"
export { RunRecorder, type RunRedaction } from "./RunRecorder.ts"
export * as ShellClient from "./ShellClient.ts"
export * as ShellDaemon from "./ShellDaemon.ts"
export * from "./ShellOutputChunks.ts"
