/**
 * Declares the members of tar archives and their block size. Archives have ustar headers with pax records.
 *
 * It is ours because tar libraries for JavaScript work on Node streams or hold whole archives, and none writes GNU
 * sparse files.
 *
 * Source: pax(1) "pax Interchange Format"; GNU tar's manual, "Sparse Formats", version 1.0.
 *
 * @module
 */

/** A piece of a file that is no hole. */
export interface Extent {
  readonly offset: number
  readonly length: number
}

/** One member of an archive. */
export interface TarEntry {
  /** As it is in the archive: relative, a folder's without its slash. */
  readonly path: string
  readonly type: "file" | "folder" | "link" | "hardLink" | "other"
  readonly mode: number
  /** Nanoseconds since 1970. */
  readonly modified: bigint
  readonly accessed?: bigint | undefined
  /** Of a link. */
  readonly target: string
  /** Of a file, its holes included. */
  readonly size: number
  /** Where its bytes are, when it has holes. */
  readonly extents?: ReadonlyArray<Extent> | undefined
  /** Records of our own. */
  readonly records: ReadonlyMap<string, string>
}

/** A member that was read, with its bytes: those of its extents, one after the other, when it has holes. */
export interface TarMember extends TarEntry {
  readonly content: Uint8Array
}

/** Archives come in blocks. */
export const blockBytes = 512

/** Nanoseconds. */
export const nanosPerSecond = 1_000_000_000n

/** Zeroes up to the next whole block. */
export const padding = (bytes: number): Uint8Array => new Uint8Array((blockBytes - (bytes % blockBytes)) % blockBytes)
