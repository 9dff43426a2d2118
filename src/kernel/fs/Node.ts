/**
 * Declares the nodes that volumes (memory, a host folder, an overlay) implement: files, links and folders without
 * paths. Paths, mounts and symbolic links are implemented once, over these. A number is 0 or a negative errno; the
 * default of every change is `-EROFS`.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import type { Descriptors } from "../FileSystem.ts"
import type { Directory, OpenFile } from "../OpenFile.ts"
import type { GrowthQuota } from "./GrowthQuota.ts"
import { type DirectoryEntry, FileType, type Stat } from "../Stat.ts"

/** How a node is opened. */
export interface NodeOpenOptions {
  /** It will be read. */
  readonly read: boolean
  /** It will be written. */
  readonly write: boolean
  /** It is cut to nothing first. */
  readonly truncate: boolean
  /** Bits of `FileFlag`. */
  readonly flags: number
  /** Its mode is not asked: this very call has created it, or the file system itself wants to read it. */
  readonly trusted: boolean
}

/** What a volume is given when it is mounted. */
export interface VolumeContext {
  /** Nanoseconds since 1970. */
  readonly now: () => bigint
  /** A number that no other volume of this file system has. */
  readonly device: () => number
  /** Those of the process that asks; none when it is no process. */
  readonly descriptors: () => Descriptors | undefined
  /** What files outside of memory may grow by. Default: no limit. */
  readonly growth?: GrowthQuota | undefined
}

/** Makes a volume; what comes back is its root. Used twice, it makes two. */
export type Volume = (context: VolumeContext) => Folder | number

/** The bits of {@link Folder.permits}: those of one digit of a mode. */
export const Permission = { execute: 1, write: 2, read: 4 } as const

/** Whether the owner's digit of a mode has all these bits. */
export const ownerMay = (mode: number, bits: number): boolean => ((mode >> 6) & bits) === bits

/** A file, a folder or a symbolic link. */
export abstract class Node {
  /** What it is. */
  abstract readonly type: FileType
  /** What is known of it. */
  abstract stat(): Stat | number

  /** Sets permission bits. */
  setMode(_mode: number): number {
    return -Errno.EROFS
  }

  /** Sets times; `undefined` leaves one as it is. */
  setTimes(_accessed: bigint | undefined, _modified: bigint | undefined): number {
    return -Errno.EROFS
  }
}

/** What can be opened: a regular file, or a device. */
export abstract class FileNode extends Node {
  abstract open(options: NodeOpenOptions): OpenFile | number
}

/** A symbolic link. */
export abstract class LinkNode extends Node {
  override readonly type: FileType = FileType.symbolicLink
  abstract readlink(): string | number
}

/** A folder, and a place to start from. */
export abstract class Folder extends Node implements Directory {
  /** A folder. */
  override readonly type: FileType = FileType.directory
  /** Where it is; the root of all is in no folder. */
  parent: Folder | undefined
  /** Its name in the folder where it is. */
  name = ""
  /** Volumes that are mounted on names in it. */
  mounts: Map<string, Folder> | undefined
  /** The volume: one and the same object for all of its nodes. */
  abstract readonly volume: object

  /** Its path from the root, as it is now. */
  get path(): string {
    return pathOf(this)
  }

  /** Whether its owner may look names up in it (1), change it (2), list it (4). Volumes that ask elsewhere say yes. */
  permits(_bits: number): boolean {
    return true
  }

  /** Names that reach a volume are checked: not empty, `.` or `..`, without `/` and NUL, and not too long. */
  abstract lookup(name: string): Node | number
  /** What is in it, in any order, without what is mounted. */
  abstract list(): ReadonlyArray<DirectoryEntry> | number

  /** Creates a file and opens it. The name is free. */
  createFile(_name: string, _mode: number, _open: NodeOpenOptions): OpenFile | number {
    return -Errno.EROFS
  }

  /** The name is free. */
  createFolder(_name: string, _mode: number): number {
    return -Errno.EROFS
  }

  /** The name is free. */
  createLink(_name: string, _target: string): number {
    return -Errno.EROFS
  }

  /** One more name for a file or a link of this volume. The name is free. */
  addName(_name: string, _node: Node): number {
    return -Errno.EROFS
  }

  /** The name is there; it is no folder. */
  removeFile(_name: string, _node: Node): number {
    return -Errno.EROFS
  }

  /** The name is there. `-ENOTEMPTY` unless the folder is empty. */
  removeFolder(_name: string, _node: Folder): number {
    return -Errno.EROFS
  }

  /**
   * Moves a node to a folder of this volume that is not in it. What is there is replaced, if it is of the same kind and
   * another node.
   */
  moveName(_name: string, _node: Node, _to: Folder, _toName: string, _replaced: Node | undefined): number {
    return -Errno.EROFS
  }
}

const pathOf = (folder: Folder): string => {
  let path = ""
  for (let at = folder; at.parent !== undefined; at = at.parent) path = `/${at.name}${path}`
  return path === "" ? "/" : path
}
