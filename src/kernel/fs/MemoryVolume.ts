/** Holds the limits and the usage of an in-memory volume, and implements its inodes. */
import { refuseUnknownOptions, requireCounts } from "../../base/OptionError.ts"
import { Errno } from "../Errno.ts"
import type { FileType, Stat } from "../Stat.ts"
import type { VolumeContext } from "./Node.ts"

/** Limits of an in-memory volume. */
export interface MemoryLimits {
  /** Bytes of all files together, without holes. Beyond it: `-ENOSPC`. Default: 1 GiB. */
  readonly maxBytes?: number | undefined
  /** Bytes of one file, holes included. Beyond it: `-EFBIG`. Default: 1 TiB. */
  readonly maxFileBytes?: number | undefined
  /** Files, folders and links, by their names. Beyond it: `-ENOSPC`. Default: 262,144. */
  readonly maxFiles?: number | undefined
}

export type MemoryLimitSettings = Readonly<Record<keyof MemoryLimits, number>>

const defaults: MemoryLimitSettings = { maxBytes: 2 ** 30, maxFileBytes: 2 ** 40, maxFiles: 262_144 }

/** Fills in the defaults. `names`: the caller's options. Throws an `OptionError` for an unknown or invalid one. */
export const resolveMemoryLimits = (
  where: string,
  limits: MemoryLimits,
  names: Readonly<Record<string, unknown>> = defaults,
): MemoryLimitSettings => {
  refuseUnknownOptions(where, limits, names)
  return requireCounts(where, "", limits, defaults)
}

export class MemoryVolume {
  readonly now: () => bigint
  readonly device: number
  readonly maxBytes: number
  readonly maxFileBytes: number
  readonly maxNames: number
  /** Whether nothing in it can be changed. */
  readonly readOnly: boolean
  bytes = 0
  names = 0
  /** The number of changes so far. */
  changes = 0
  /** Contents of open files without a name, whose bytes it still counts. */
  readonly orphans: Set<{ readonly charged: number }> = new Set()
  /** Whether a node of this volume was made from a frozen node with several names. */
  hasLinked = false
  /** Whether it has had lazy files, whose content is loaded when they are read. */
  hasLazyFiles = false
  #inodes = 0
  readonly #limits: MemoryLimitSettings

  constructor({ now, device }: Pick<VolumeContext, "now" | "device">, limits: MemoryLimitSettings, readOnly = false) {
    this.now = now
    this.device = device()
    this.readOnly = readOnly
    this.maxBytes = limits.maxBytes
    this.maxFileBytes = Math.min(limits.maxFileBytes, Number.MAX_SAFE_INTEGER)
    this.maxNames = limits.maxFiles
    this.#limits = limits
  }

  inode(): number {
    return ++this.#inodes
  }

  /** Makes a volume like this one, with its usage but none of its nodes. */
  fork(now: () => bigint): MemoryVolume {
    const copy = new MemoryVolume({ now, device: () => this.device }, this.#limits, this.readOnly)
    copy.bytes = this.bytes
    copy.names = this.names
    copy.hasLazyFiles = this.hasLazyFiles
    copy.#inodes = this.#inodes
    return copy
  }

  /** Counts one more name; returns 0 or `-ENOSPC`. */
  takeName(): number {
    if (this.names >= this.maxNames) return -Errno.ENOSPC
    this.names++
    return 0
  }
}

export class Inode {
  readonly volume: MemoryVolume
  readonly device: number
  readonly inode: number
  mode: number
  links = 1
  accessed: bigint
  modified: bigint
  changed: bigint
  /** Whether its metadata has changed since it was made. */
  altered = false

  /** A copy of a lower file keeps its device and inode numbers. */
  constructor(volume: MemoryVolume, mode: number, copyOf?: Omit<Stat, "type" | "size">) {
    volume.changes++
    this.volume = volume
    this.device = copyOf?.device ?? volume.device
    this.inode = copyOf?.inode ?? volume.inode()
    this.mode = copyOf?.mode ?? mode
    this.changed = copyOf?.changed ?? volume.now()
    this.accessed = copyOf?.accessed ?? this.changed
    this.modified = copyOf?.modified ?? this.changed
  }

  /** Returns its copy for another volume. */
  copyTo(volume: MemoryVolume): Inode {
    const copy = new Inode(volume, this.mode, this)
    copy.links = this.links
    copy.altered = this.altered
    return copy
  }

  stat(type: FileType, size: number): Stat {
    const { accessed, changed, device, inode, links, mode, modified } = this
    return { device, inode, type, mode, links, size, accessed, modified, changed }
  }

  setMode(mode: number): number {
    this.mode = mode
    return this.#alter()
  }

  setTimes(accessed: bigint | undefined, modified: bigint | undefined): number {
    this.accessed = accessed ?? this.accessed
    this.modified = modified ?? this.modified
    return this.#alter()
  }

  #alter(): number {
    this.altered = true
    this.changed = this.volume.now()
    this.volume.changes++
    return 0
  }

  touch(): void {
    this.modified = this.changed = this.volume.now()
    this.volume.changes++
  }

  /** Records a read, once after each change, as `relatime` of mount(8). */
  read(): void {
    if (this.accessed > this.modified) return
    this.accessed = this.volume.now()
    this.volume.changes++
  }

  addLinks(count: number): void {
    this.links += count
    this.#alter()
  }
}
