/**
 * Exports the base class of open files, and the open files that a host passes to a process as descriptors.
 *
 * @module
 */
export { FileFlag, OpenFile, type StopWaiting, Whence } from "../OpenFile.ts"
export { BufferFile, type ByteBudget } from "../process/BufferFile.ts"
export { NullFile } from "../process/NullFile.ts"
export { StaticFile } from "../process/StaticFile.ts"
export { StreamSource, type StreamSourceOptions } from "../process/StreamSource.ts"
