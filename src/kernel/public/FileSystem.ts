/**
 * Exports the contract of a kernel's file system, and its implementation over mounted volumes.
 *
 * @module
 */
export type { Descriptors, FileSystem, OpenOptions, Resolution, VolumeUsage } from "../FileSystem.ts"
export type { Mounts } from "../fs/Mounts.ts"
export { VirtualFileSystem, type VirtualFileSystemOptions } from "../fs/VirtualFileSystem.ts"
export type { Directory } from "../OpenFile.ts"
