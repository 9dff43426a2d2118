/** Options that all leaves of the FileSystem branch have, with their defaults. */
import { requireBooleans, requireCount } from "../../base/OptionError.ts"
import type { Room } from "./FileBackend.ts"

/** Options of every leaf of the FileSystem branch. */
export interface LeafFilesOptions {
  /** Whether files may be written. Default: `true`. */
  readonly allowWrite?: boolean | undefined
  /** Whether files and folders may be deleted. Default: `true`. */
  readonly allowDelete?: boolean | undefined
  /** Bytes of one `FileContentChunk`. Default: 65,536. */
  readonly chunkSize?: number | undefined
  /** A read of more bytes than this comes in chunks. Default: 1,048,576. */
  readonly streamingThreshold?: number | undefined
  /** Bytes of all files below the root together; beyond it a write is `DiskFull`. Default: no limit. */
  readonly maxBytes?: number | undefined
  /** Number of files, folders and links below the root; beyond it a write is `DiskFull`. Default: no limit. */
  readonly maxFiles?: number | undefined
}

export const leafFilesOptionNames: Readonly<Record<keyof LeafFilesOptions, true>> = {
  allowWrite: true,
  allowDelete: true,
  chunkSize: true,
  streamingThreshold: true,
  maxBytes: true,
  maxFiles: true,
}

export interface LeafFilesSettings {
  readonly allowWrite: boolean
  readonly allowDelete: boolean
  readonly chunkSize: number
  readonly streamingThreshold: number
  readonly quota: Room | undefined
}

export const leafFilesSettings = (
  leaf: string,
  {
    allowDelete = true,
    allowWrite = true,
    chunkSize = 65_536,
    maxBytes = Infinity,
    maxFiles = Infinity,
    streamingThreshold = 1_048_576,
  }: LeafFilesOptions,
): LeafFilesSettings => {
  const quota = {
    bytes: requireCount(leaf, "maxBytes", maxBytes, { min: 0 }),
    files: requireCount(leaf, "maxFiles", maxFiles, { min: 0 }),
  }
  return {
    ...requireBooleans(leaf, { allowDelete, allowWrite }),
    chunkSize: Math.min(requireCount(leaf, "chunkSize", chunkSize, { min: 1 }), 16 * 1024 * 1024),
    streamingThreshold: requireCount(leaf, "streamingThreshold", streamingThreshold, { min: 0 }),
    quota: maxBytes === Infinity && maxFiles === Infinity ? undefined : quota,
  }
}
