/**
 * Options that all leaves of the FileSystem branch have, with their defaults.
 *
 * @module
 */
import { requireCount } from "../../base/OptionError.ts"

/**
 * Options of every leaf of the FileSystem branch.
 *
 * @stability experimental
 */
export interface LeafFilesOptions {
  /** Whether files may be written. Default: `true`. */
  readonly allowWrite?: boolean | undefined
  /** Whether files and folders may be deleted. Default: `true`. */
  readonly allowDelete?: boolean | undefined
  /** Bytes of one `FileContentChunk`. Default: 65,536. */
  readonly chunkSize?: number | undefined
  /** A read of more bytes than this comes in chunks. Default: 1,048,576. */
  readonly streamingThreshold?: number | undefined
}

/** The names of {@link LeafFilesOptions}. */
export const leafFilesOptionNames: Readonly<Record<keyof LeafFilesOptions, true>> = {
  allowWrite: true,
  allowDelete: true,
  chunkSize: true,
  streamingThreshold: true,
}

/** The options of a leaf, resolved. */
export interface LeafFilesSettings {
  readonly allowWrite: boolean
  readonly allowDelete: boolean
  readonly chunkSize: number
  readonly streamingThreshold: number
}

/**
 * Resolves options.
 *
 * @throws {OptionError} for a size that is not a count.
 */
export const leafFilesSettings = (
  leaf: string,
  { allowDelete = true, allowWrite = true, chunkSize = 65_536, streamingThreshold = 1_048_576 }: LeafFilesOptions,
): LeafFilesSettings => ({
  allowDelete,
  allowWrite,
  chunkSize: Math.min(requireCount(leaf, "chunkSize", chunkSize, 1), 16 * 1024 * 1024),
  streamingThreshold: requireCount(leaf, "streamingThreshold", streamingThreshold, 0),
})
