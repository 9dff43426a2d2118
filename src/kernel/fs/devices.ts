/**
 * Makes the volume of `/dev`, whose `fd/N`, `stdin`, `stdout` and `stderr` are those of the calling process.
 * Source: null(4), full(4), random(4), fd(4).
 */
import { Errno } from "../Errno.ts"
import { OpenFile } from "../OpenFile.ts"
import { systemRandom } from "../systemRandom.ts"
import { type DirectoryEntry, FileType, type Stat } from "../Stat.ts"
import { FileNode, Folder, type Node, type NodeOpenOptions, type Volume, type VolumeContext } from "./Node.ts"

/** The calls of a device. */
export interface Device {
  /** As `OpenFile.read`; not called if the device was not opened for reading. */
  readonly read: (into: Uint8Array) => number
  /** As `OpenFile.write`; not called if the device was not opened for writing. */
  readonly write: (from: Uint8Array) => number
}

/** Options of {@link devices}. */
export interface DevicesOptions {
  /** Fills an array with random bytes. Default: `crypto.getRandomValues`. */
  readonly random?: ((into: Uint8Array) => void) | undefined
  /** More devices by name, each as the function that opens it. */
  readonly others?: Readonly<Record<string, (options: NodeOpenOptions) => OpenFile | number>> | undefined
}

const zeroes = (into: Uint8Array): number => {
  into.fill(0)
  return into.length
}

const discard = (from: Uint8Array): number => from.length

class OpenDevice extends OpenFile {
  override readonly type: FileType = FileType.characterDevice
  readonly #node: DeviceNode
  readonly #device: Device
  readonly #open: NodeOpenOptions

  constructor(node: DeviceNode, device: Device, open: NodeOpenOptions) {
    super()
    this.#node = node
    this.#device = device
    this.#open = open
    this.flags = open.flags
  }

  override read(into: Uint8Array): number {
    return this.#open.read ? this.#device.read(into) : -Errno.EBADF
  }

  override write(from: Uint8Array): number {
    return this.#open.write ? this.#device.write(from) : -Errno.EBADF
  }

  override readAt(_offset: number, into: Uint8Array): number {
    return this.read(into)
  }

  override writeAt(_offset: number, from: Uint8Array): number {
    return this.write(from)
  }

  /** Always returns 0, as on Linux. */
  override seek(_offset: number, _whence: number): number {
    return 0
  }

  override stat(): Stat | number {
    return this.#node.stat()
  }
}

class DeviceNode extends FileNode {
  override readonly type: FileType = FileType.characterDevice
  readonly #stat: Stat
  readonly #open: (options: NodeOpenOptions) => OpenFile | number

  constructor(stat: Stat, open: Device | ((options: NodeOpenOptions) => OpenFile | number)) {
    super()
    this.#stat = stat
    this.#open = typeof open === "function" ? open : (options) => new OpenDevice(this, open, options)
  }

  override stat(): Stat {
    return this.#stat
  }

  override open(options: NodeOpenOptions): OpenFile | number {
    return this.#open(options)
  }
}

const standard = ["stdin", "stdout", "stderr"]

class DescriptorNode extends FileNode {
  override readonly type: FileType
  readonly #file: OpenFile

  constructor(file: OpenFile) {
    super()
    this.type = file.type
    this.#file = file
  }

  override stat(): Stat | number {
    return this.#file.stat()
  }

  override open(): OpenFile {
    return this.#file.retain()
  }
}

/** A folder that cannot be changed. */
abstract class FixedFolder extends Folder {
  override readonly volume: object
  readonly #context: VolumeContext
  readonly #stat: Stat

  constructor(volume: object | undefined, context: VolumeContext, stat: Stat) {
    super()
    this.volume = volume ?? this
    this.#context = context
    this.#stat = stat
  }

  override stat(): Stat {
    return this.#stat
  }

  override usage(): ReturnType<Folder["usage"]> {
    return { ...super.usage(), kind: "devices" }
  }

  protected descriptor(fd: number): Node | number {
    const file = this.#context.descriptors()?.file(fd)
    if (file === undefined) return -Errno.ENOENT
    return file.directory instanceof Folder ? file.directory : new DescriptorNode(file)
  }

  protected numbers(): ReadonlyArray<number> {
    return Array.from(this.#context.descriptors()?.numbers() ?? [])
  }
}

const entryOf = (name: string, node: Node | number): ReadonlyArray<DirectoryEntry> => {
  const stat = typeof node === "number" ? node : node.stat()
  return typeof stat === "number" ? [] : [{ name, inode: stat.inode, type: stat.type }]
}

class DescriptorFolder extends FixedFolder {
  override lookup(name: string): Node | number {
    return /^(0|[1-9]\d{0,8})$/.test(name) ? this.descriptor(Number(name)) : -Errno.ENOENT
  }

  override list(): ReadonlyArray<DirectoryEntry> {
    return this.numbers().flatMap((fd) => entryOf(String(fd), this.descriptor(fd)))
  }
}

type DeviceSource = ConstructorParameters<typeof DeviceNode>[1]

class DeviceFolder extends FixedFolder {
  readonly #nodes = new Map<string, Node>()

  constructor(context: VolumeContext, devices: Iterable<readonly [string, DeviceSource]>) {
    const device = context.device()
    const time = context.now()
    const stat = (inode: number, type: FileType, mode: number): Stat => {
      const links = type === FileType.directory ? 2 : 1
      return { device, inode, type, mode, links, size: 0, accessed: time, modified: time, changed: time }
    }
    super(undefined, context, stat(1, FileType.directory, 0o755))
    const fd = new DescriptorFolder(this, context, stat(2, FileType.directory, 0o555))
    fd.parent = this
    fd.name = "fd"
    this.#nodes.set("fd", fd)
    for (const [name, open] of devices) {
      this.#nodes.set(name, new DeviceNode(stat(this.#nodes.size + 2, FileType.characterDevice, 0o666), open))
    }
  }

  override lookup(name: string): Node | number {
    const fd = standard.indexOf(name)
    return this.#nodes.get(name) ?? (fd < 0 ? -Errno.ENOENT : this.descriptor(fd))
  }

  override list(): ReadonlyArray<DirectoryEntry> {
    return [...this.#nodes.keys(), ...standard].flatMap((name) => entryOf(name, this.lookup(name)))
  }
}

/**
 * Makes the volume of devices, to be mounted at `/dev`.
 *
 * @example
 * ```ts
 * import { FileSystem } from "@sluice/shell/kernel"
 * import { devices } from "@sluice/shell/sandbox"
 *
 * const files = FileSystem.VirtualFileSystem.make({ mounts: { "/dev": devices() }, now: () => 0n })
 * const zero = files.open(files.root, "/dev/zero", { read: true })
 * if (typeof zero === "number") throw new Error("there is no /dev/zero")
 * console.log(zero.read(new Uint8Array(10))) // 10
 * zero.release()
 * ```
 */
export const devices = ({ others = {}, random = systemRandom }: DevicesOptions = {}): Volume => (context) =>
  new DeviceFolder(context, [
    ["null", { read: () => 0, write: discard }],
    ["zero", { read: zeroes, write: discard }],
    ["full", { read: zeroes, write: (from) => from.length === 0 ? 0 : -Errno.ENOSPC }],
    ["urandom", { read: (into) => (random(into), into.length), write: discard }],
    ["random", { read: (into) => (random(into), into.length), write: discard }],
    ...Object.entries(others),
  ])
