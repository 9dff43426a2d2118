/**
 * Public module for writing a leaf, a `Shell` service that runs commands in its own way: exports the types, options,
 * checks and runs that leaves share.
 *
 * A leaf that starts processes implements {@link ProcessLeaf}: it prepares a command and starts it as a {@link
 * SpawnedProcess} (two pipes to pull from, an exit, a way to end the tree). {@link makeProcessRuns} makes the two runs
 * of a `ShellService` from it: admission, input, chunking, timeouts, back-pressure, the span and the release. Any other
 * leaf implements the two runs itself. `Shell.make` fills in the capabilities of both.
 *
 * Experimental: minor versions may change it.
 *
 * @module
 */
export { display, isSecret, reveal } from "../command/plain/secret.ts"
export { noOutput } from "../command/PartialOutput.ts"
export type { AdmissionOptions } from "./Admission.ts"
export type { FileLookup, LeafFiles, SeenFile, SpawnConstraints } from "./LeafFiles.ts"
export { type LeafOptions, type LeafSettings, resolveLeafSettings } from "./LeafOptions.ts"
export {
  type InheritedDescriptors,
  makeProcessRuns,
  type ProcessLeaf,
  type ProcessRunOptions,
  type ProcessRuns,
} from "./ProcessLeaf.ts"
export { makeCapabilities } from "./ShellCapabilities.ts"
export type { LeafRunOptions, ShellImplementation } from "./ShellService.ts"
export type { SharedSlot } from "./SharedSlot.ts"
export type { ByteReader, ByteWriter, ExitFault, ExitStatus, SpawnedProcess } from "./SpawnedProcess.ts"
export { validateExec } from "./validateExec.ts"
