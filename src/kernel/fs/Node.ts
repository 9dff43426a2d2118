/**
 * Declares volumes and the base classes of their nodes: files, links and folders without paths. Paths, mounts and symbolic
 * links are implemented once, over these. A number is 0 or a negative errno; the default of every change is `-EROFS`.
 */
import { Errno } from "../Errno.ts"
import type { Descriptors, VolumeUsage } from "../FileSystem.ts"
import type { Directory, OpenFile } from "../OpenFile.ts"
import type { GrowthQuota } from "./GrowthQuota.ts"
import { type DirectoryEntry, FileType, type Stat } from "../Stat.ts"

/** Options of opening a node. */
export interface NodeOpenOptions {
  /** Open it for reading. */
  readonly read: boolean
  /** Open it for writing. */
  readonly write: boolean
  /** Truncate it to 0 bytes first. */
  readonly truncate: boolean
  /** Bits of `FileFlag`. */
  readonly flags: number
  /** Skip the permission check: this call has created the file, or the file system itself opens it. */
  readonly trusted: boolean
}

/** The services of the file system for a mounted volume. */
export interface VolumeContext {
  /** Returns the time in nanoseconds since 1970. */
  readonly now: () => bigint
  /** Returns a new device number. */
  readonly device: () => number
  /** Returns the descriptors of the calling process; `undefined` for calls of the host. */
  readonly descriptors: () => Descriptors | undefined
  /** Quota of files outside memory. Default: no limit. */
  readonly growth?: GrowthQuota | undefined
}

/**
 * Makes a volume and returns its root folder, or a negative errno. Mounted twice, it makes two volumes.
 *
 * @stability stable
 */
export type Volume = (context: VolumeContext) => Folder | number

/** The bits of {@link Folder.permits}: those of one digit of a mode. */
export const Permission = { execute: 1, write: 2, read: 4 } as const

/** Whether the owner's permissions of a mode include all these bits. */
export const ownerPermits = (mode: number, bits: number): boolean => ((mode >> 6) & bits) === bits

/** A file, a folder or a symbolic link. */
export abstract class Node {
  /** The type of the file. */
  abstract readonly type: FileType
  /** Returns its stat. */
  abstract stat(): Stat | number

  /** Sets the permission bits. */
  setMode(_mode: number): number {
    return -Errno.EROFS
  }

  /** Sets times; `undefined` keeps a time. */
  setTimes(_accessed: bigint | undefined, _modified: bigint | undefined): number {
    return -Errno.EROFS
  }
}

/** A node that can be opened: a regular file or a device. */
export abstract class FileNode extends Node {
  /** Opens it. */
  abstract open(options: NodeOpenOptions): OpenFile | number
}

/** A symbolic link. */
export abstract class LinkNode extends Node {
  /** A symbolic link. */
  override readonly type: FileType = FileType.symbolicLink
  /** Returns its target. */
  abstract readlink(): string | number
}

/**
 * A folder.
 *
 * @example
 * ```ts
 * import { Errno, FileSystem, OpenFile, Volume } from "@sluice/shell/kernel"
 *
 * const times = { accessed: 0n, modified: 0n, changed: 0n }
 * class Hello extends Volume.FileNode {
 *   readonly type = Volume.FileType.regularFile
 *   stat(): Volume.Stat {
 *     return { device: 1, inode: 2, type: this.type, mode: 0o444, links: 1, size: 5, ...times }
 *   }
 *   open(): OpenFile.OpenFile {
 *     return new OpenFile.StaticFile(new TextEncoder().encode("hello"))
 *   }
 * }
 * class Root extends Volume.Folder {
 *   readonly volume = this
 *   stat(): Volume.Stat {
 *     return { device: 1, inode: 1, type: this.type, mode: 0o555, links: 1, size: 0, ...times }
 *   }
 *   lookup(name: string): Volume.Node | number {
 *     return name === "hello" ? new Hello() : -Errno.ENOENT
 *   }
 *   list(): ReadonlyArray<Volume.DirectoryEntry> {
 *     return [{ name: "hello", inode: 2, type: Volume.FileType.regularFile }]
 *   }
 * }
 * const files = FileSystem.VirtualFileSystem.make({ mounts: { "/": () => new Root() }, now: () => 0n })
 * const file = files.open(files.root, "/hello", { read: true })
 * console.log(typeof file !== "number" && file.read(new Uint8Array(9))) // 5
 * ```
 */
export abstract class Folder extends Node implements Directory {
  /** A folder. */
  override readonly type: FileType = FileType.directory
  /** The folder it is in; `undefined` for the root of the tree. */
  parent: Folder | undefined
  /** Its name in {@link parent}. */
  name = ""
  /** Roots of volumes mounted in it, by name. */
  mounts: Map<string, Folder> | undefined
  /** The volume: the same object for all of its nodes. */
  abstract readonly volume: object

  /** Its current path from the root. */
  get path(): string {
    return pathOf(this)
  }

  /** For the root of a volume: its kind and the space that it uses. */
  usage(): Omit<VolumeUsage, "path"> {
    return { kind: "unknown", usedBytes: 0, maxBytes: 0, usedNames: 0, maxNames: 0 }
  }

  /** Whether its owner may traverse (1), change (2) or list (4) it. Volumes that check elsewhere return `true`. */
  permits(_bits: number): boolean {
    return true
  }

  /** Returns the node of a name, or `-ENOENT`. Names are not empty, `.` or `..`, have no `/` or NUL, and are not too long. */
  abstract lookup(name: string): Node | number
  /** Lists it in any order, without mounts. */
  abstract list(): ReadonlyArray<DirectoryEntry> | number

  /** Creates and opens a file. The name does not exist. */
  createFile(_name: string, _mode: number, _open: NodeOpenOptions): OpenFile | number {
    return -Errno.EROFS
  }

  /** Creates a folder. The name does not exist. */
  createFolder(_name: string, _mode: number): number {
    return -Errno.EROFS
  }

  /** Creates a symbolic link. The name does not exist. */
  createLink(_name: string, _target: string): number {
    return -Errno.EROFS
  }

  /** Creates a FIFO. The name does not exist. Default: `-EPERM`, as mknod(2) where a volume has none. */
  createFifo(_name: string, _mode: number): number {
    return -Errno.EPERM
  }

  /** Adds a name for a file or a link of this volume. The name does not exist. */
  addName(_name: string, _node: Node): number {
    return -Errno.EROFS
  }

  /** Removes a name that is not a folder. */
  removeFile(_name: string, _node: Node): number {
    return -Errno.EROFS
  }

  /** Removes an empty folder; `-ENOTEMPTY` for another. */
  removeFolder(_name: string, _node: Folder): number {
    return -Errno.EROFS
  }

  /** Moves a node to a folder of this volume that is not inside it, and replaces an existing node of the same kind. */
  moveName(_name: string, _node: Node, _to: Folder, _toName: string, _replaced: Node | undefined): number {
    return -Errno.EROFS
  }
}

const pathOf = (folder: Folder): string => {
  let path = ""
  for (let at = folder; at.parent !== undefined; at = at.parent) path = `/${at.name}${path}`
  return path === "" ? "/" : path
}
