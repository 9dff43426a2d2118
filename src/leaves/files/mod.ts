/**
 * Files below one root, on this machine or in memory, as Effects and Streams with typed faults.
 *
 * @module
 */
export {
  FileContent,
  FileContentChunk,
  FileDeleted,
  FileEvent,
  FileListing,
  FileListingChunk,
  FileListingEntry,
  FileMetadata,
  FileWritten,
} from "../../files/FileEvent.ts"
export * as FileEdit from "../../files/FileEdit.ts"
export * as FileSnapshot from "../../files/FileSnapshot.ts"
export * as FileWatch from "../../files/FileWatch.ts"
export * as FilePatch from "../../files/FilePatch.ts"
export * as FileSearch from "../../files/FileSearch.ts"
export { FileFault, FileFaultKind } from "../../files/FileFault.ts"
export {
  CreateMode,
  FileDelete,
  FileList,
  FileRead,
  FileRequest,
  FileStat,
  FileWrite,
  FileWriteChunk,
} from "../../files/FileRequest.ts"
export {
  Files,
  type ListOptions,
  type ReadOptions,
  type ReadWholeOptions,
  type WriteOptions,
} from "../../files/Files.ts"
export type { CandidateQuery, FileCandidates, FilesCapabilities, FilesService } from "../../files/FilesService.ts"
export { FileSystemBranch } from "../../files/FileSystemBranch.ts"
export * as DaemonFileSystem from "../../files/DaemonFileSystem.ts"
export * as FileSystemDaemon from "../../files/FileSystemDaemon.ts"
export * as JournaledFileSystem from "../../files/JournaledFileSystem.ts"
export type { LeafFilesOptions } from "./LeafFilesOptions.ts"
export * as KernelFileSystem from "./KernelFileSystem.ts"
export * as LocalFileSystem from "./LocalFileSystem.ts"
export * as MemoryFileSystem from "./MemoryFileSystem.ts"
export {
  type MockFileRule,
  type MockFilesService,
  MockFileSystem,
  type MockFileSystemOptions,
} from "./MockFileSystem.ts"
