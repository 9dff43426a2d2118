/**
 * Devices: `null`, `zero`, `full` and `urandom`, for `/dev`. What belongs to a process (`/dev/stdin`, `/dev/fd/3`,
 * `/dev/tty`) is the process's to open, before it asks the file system; others can be given here.
 *
 * Source: null(4), full(4), random(4).
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import { OpenFile } from "../OpenFile.ts"
import { type DirectoryEntry, FileType, type Stat } from "../Stat.ts"
import { FileNode, Folder, type Node, type NodeOpen, type Volume, type VolumeContext } from "./Node.ts"

/** What a device does. */
export interface Device {
  /** As `OpenFile.read`; not asked when the device was not opened to read. */
  readonly read: (into: Uint8Array) => number
  /** As `OpenFile.write`. */
  readonly write: (from: Uint8Array) => number
}

/** Which devices there are. */
export interface DevicesOptions {
  /** Fills an array with random bytes. Default: `crypto.getRandomValues`. */
  readonly random?: ((into: Uint8Array) => void) | undefined
  /** More devices by their names, each given as what opens it. */
  readonly others?: Readonly<Record<string, (options: NodeOpen) => OpenFile | number>> | undefined
}

/** The most that `crypto.getRandomValues` fills in one call. */
const mostRandom = 65_536

const systemRandom = (into: Uint8Array): void => {
  for (let at = 0; at < into.length; at += mostRandom) {
    const part = new Uint8Array(Math.min(mostRandom, into.length - at))
    crypto.getRandomValues(part)
    into.set(part, at)
  }
}

const zeroes = (into: Uint8Array): number => {
  into.fill(0)
  return into.length
}

const swallow = (from: Uint8Array): number => from.length

class OpenDevice extends OpenFile {
  override readonly type: FileType = FileType.characterDevice
  readonly #node: DeviceNode
  readonly #device: Device
  readonly #open: NodeOpen

  constructor(node: DeviceNode, device: Device, open: NodeOpen) {
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

  /** Always at 0, as Linux has it. */
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
  readonly #open: (options: NodeOpen) => OpenFile | number

  constructor(stat: Stat, open: Device | ((options: NodeOpen) => OpenFile | number)) {
    super()
    this.#stat = stat
    this.#open = typeof open === "function" ? open : (options) => new OpenDevice(this, open, options)
  }

  override stat(): Stat {
    return this.#stat
  }

  override open(options: NodeOpen): OpenFile | number {
    return this.#open(options)
  }
}

class DeviceFolder extends Folder {
  override readonly volume: object = this
  readonly #nodes = new Map<string, DeviceNode>()
  readonly #stat: (inode: number, type: FileType, mode: number) => Stat

  constructor(
    { device, now }: VolumeContext,
    devices: Iterable<readonly [string, ConstructorParameters<typeof DeviceNode>[1]]>,
  ) {
    super()
    const number = device()
    const time = now()
    this.#stat = (inode, type, mode) => ({
      device: number,
      inode,
      type,
      mode,
      links: type === FileType.directory ? 2 : 1,
      size: 0,
      accessed: time,
      modified: time,
      changed: time,
    })
    for (const [name, open] of devices) {
      this.#nodes.set(name, new DeviceNode(this.#stat(this.#nodes.size + 2, FileType.characterDevice, 0o666), open))
    }
  }

  override stat(): Stat {
    return this.#stat(1, FileType.directory, 0o755)
  }

  override lookup(name: string): Node | number {
    return this.#nodes.get(name) ?? -Errno.ENOENT
  }

  override list(): ReadonlyArray<DirectoryEntry> {
    return Array.from(this.#nodes, ([name, node]) => ({ name, inode: node.stat().inode, type: node.type }))
  }
}

/** The folder of devices, to be mounted at `/dev`. */
export const devices = ({ others = {}, random = systemRandom }: DevicesOptions = {}): Volume => (context) =>
  new DeviceFolder(context, [
    ["null", { read: () => 0, write: swallow }],
    ["zero", { read: zeroes, write: swallow }],
    ["full", { read: zeroes, write: (from) => from.length === 0 ? 0 : -Errno.ENOSPC }],
    ["urandom", { read: (into) => (random(into), into.length), write: swallow }],
    ["random", { read: (into) => (random(into), into.length), write: swallow }],
    ...Object.entries(others),
  ])
