/** Implements files and symbolic links of a mounted host folder, within its growth quota. */
import { Errno } from "../Errno.ts"
import { FileFlag, type OpenFile } from "../OpenFile.ts"
import { FileType, type Stat } from "../Stat.ts"
import type { HostParent } from "./HostVolume.ts"
import { FileNode, LinkNode, type NodeOpenOptions } from "./Node.ts"
import { OpenHostFile } from "./OpenHostFile.ts"

/** Opens a file; with `create`, a mode, creates it. */
export const openHostFile = (
  folder: HostParent,
  name: string,
  open: NodeOpenOptions,
  create?: number,
): OpenFile | number => {
  const { volume } = folder
  const { files } = volume
  /** Opens the same file without O_APPEND: a handle with it writes only at the end. */
  const again = (handle: number): number =>
    folder.at(name, (path) => {
      const other = files.open(path, { read: open.read, write: true, append: false })
      if (other < 0) return other
      const [before, now] = [files.stat(handle), files.stat(other)]
      if (
        typeof before !== "number" && typeof now !== "number" && now.inode === before.inode &&
        now.device === before.device
      ) return other
      files.close(other)
      return -Errno.ESTALE
    })
  const changes = create !== undefined || open.write || open.truncate
  const use = changes ? folder.change.bind(folder) : folder.at.bind(folder)
  return use(name, (path) => {
    const append = (open.flags & FileFlag.append) !== 0
    // A sandbox must not set setuid or setgid: the host might run the file.
    const mode = create === undefined ? undefined : create & 0o1777
    const handle = files.open(path, { read: open.read, write: open.write || open.truncate, append, create: mode })
    if (handle < 0) return handle
    // Without O_TRUNC: the file is truncated only once it is known to be regular.
    const size = open.truncate && create === undefined ? files.stat(handle) : 0
    const cut = typeof size === "number" ? size : volume.growth.resize(size.size, 0, () => files.truncate(handle, 0))
    if (cut < 0) {
      files.close(handle)
      return cut
    }
    return new OpenHostFile(volume, handle, open, append ? again : undefined)
  })
}

const statAt = (folder: HostParent, name: string): Stat | number => {
  const stat = folder.at(name, folder.volume.files.lstat)
  return typeof stat === "number" ? stat : folder.volume.toGuestStat(stat)
}

/** A file of the host. A pipe, socket or device is listed but cannot be opened. */
export class HostFile extends FileNode {
  override readonly type: FileType
  readonly folder: HostParent
  readonly name: string

  constructor(folder: HostParent, name: string, type: FileType) {
    super()
    this.folder = folder
    this.name = name
    this.type = type
  }

  override stat(): Stat | number {
    return statAt(this.folder, this.name)
  }

  override setMode(mode: number): number {
    return this.folder.change(this.name, (path) => this.folder.volume.files.setMode(path, mode & 0o1777))
  }

  override setTimes(accessed: bigint | undefined, modified: bigint | undefined): number {
    return this.folder.change(this.name, (path) => this.folder.volume.setTimes(path, accessed, modified))
  }

  override open(options: NodeOpenOptions): OpenFile | number {
    return this.type === FileType.regularFile ? openHostFile(this.folder, this.name, options) : -Errno.ENXIO
  }
}

export class HostLink extends LinkNode {
  readonly folder: HostParent
  readonly name: string

  constructor(folder: HostParent, name: string) {
    super()
    this.folder = folder
    this.name = name
  }

  override stat(): Stat | number {
    return statAt(this.folder, this.name)
  }

  override setTimes(accessed: bigint | undefined, modified: bigint | undefined): number {
    return this.folder.change(this.name, (path) => this.folder.volume.setTimes(path, accessed, modified))
  }

  override readlink(): string | number {
    return this.folder.at(this.name, this.folder.volume.files.readlink)
  }
}
