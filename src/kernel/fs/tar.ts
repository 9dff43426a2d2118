/**
 * Declares the members of tar archives. No library is used because those for JavaScript work on Node streams or hold
 * whole archives, and none writes GNU sparse files. Source: pax(1) "pax Interchange Format"; GNU tar's manual, "Sparse
 * Formats", version 1.0.
 */

/** A range of a sparse file that has bytes. */
export interface Extent {
  readonly offset: number
  readonly length: number
}

export interface TarEntry {
  /** Path in the archive: relative, without the trailing slash of a folder. */
  readonly path: string
  readonly type: "file" | "folder" | "link" | "hardLink" | "fifo" | "other"
  readonly mode: number
  /** Nanoseconds since 1970. */
  readonly modified: bigint
  readonly accessed?: bigint | undefined
  readonly target: string
  /** Size of a file, holes included. */
  readonly size: number
  /** Ranges with bytes, if it has holes. */
  readonly extents?: ReadonlyArray<Extent> | undefined
  readonly records: ReadonlyMap<string, string>
  readonly owner?: TarOwner | undefined
}

/** The owner of a member; the names may be empty. */
export interface TarOwner {
  readonly uid: number
  readonly gid: number
  readonly user: string
  readonly group: string
}

/** A member with its bytes; for a sparse file, the bytes of its extents one after the other. */
export interface TarMember extends TarEntry {
  readonly content: Uint8Array
}

export const blockBytes = 512

export const nanosPerSecond = 1_000_000_000n

/** Returns the zeroes up to the next block. */
export const padding = (bytes: number): Uint8Array => new Uint8Array((blockBytes - (bytes % blockBytes)) % blockBytes)
