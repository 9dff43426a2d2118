/**
 * Exports the base class and the flags of open files, and the open files that a host passes to a process: in memory,
 * empty, of fixed bytes, or pulled from a stream.
 *
 * @module
 */
export { FileFlag, OpenFile, type StopWaiting, Whence } from "../OpenFile.ts"
export { BufferFile, type ByteBudget } from "../process/BufferFile.ts"
export { NullFile } from "../process/NullFile.ts"
export { StaticFile } from "../process/StaticFile.ts"
export { StreamSource, type StreamSourceOptions } from "../process/StreamSource.ts"
