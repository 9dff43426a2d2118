/** Implements folders and symbolic links of in-memory volumes. */
import { encodeUtf8 } from "../../base/bytes.ts"
import { Errno } from "../Errno.ts"
import type { OpenFile } from "../OpenFile.ts"
import type { DirectoryEntry, Stat } from "../Stat.ts"
import { MemoryFifo } from "./MemoryFifo.ts"
import { MemoryFile } from "./MemoryFile.ts"
import { Inode, type MemoryVolume } from "./MemoryVolume.ts"
import { type Frozen, frozenOf } from "./Frozen.ts"
import { Folder, LinkNode, type Node, type NodeOpenOptions, ownerPermits } from "./Node.ts"

/** Limit of ext4: names cost memory even if they share a file. */
const maxLinks = 65_000

export class MemoryLink extends LinkNode {
  readonly inode: Inode
  readonly target: string
  /** Bytes that are charged to the volume for its target. */
  readonly charged: number

  constructor(inode: Inode, target: string, charged: number) {
    super()
    this.inode = inode
    this.target = target
    this.charged = charged
  }

  override stat(): Stat | number {
    return this.inode.stat(this.type, utf8Length(this.target))
  }

  override setTimes(accessed: bigint | undefined, modified: bigint | undefined): number {
    return this.inode.volume.readOnly ? -Errno.EROFS : this.inode.setTimes(accessed, modified)
  }

  override readlink(): string | number {
    return this.target
  }

  freeze(frozen: MemoryVolume): Frozen<MemoryLink> {
    const { charged, inode, target } = this
    const make = (_volume: MemoryVolume, own = inode) => new MemoryLink(own, target, charged)
    return frozenOf(inode.copyTo(frozen), undefined, make)
  }
}

export type MemoryNode = MemoryFile | MemoryLink | MemoryFifo | MemoryFolder

export interface FrozenFolder extends Frozen<MemoryFolder> {
  readonly names: Map<string, Frozen<MemoryNode>>
}

const utf8Length = (text: string): number => encodeUtf8(text).length

export class MemoryFolder extends Folder {
  override readonly volume: MemoryVolume
  readonly #names: Map<string, MemoryNode> = new Map()
  /** Whether it was removed: no names can be added. */
  removed = false
  #inode: Inode | undefined
  #unread: FrozenFolder | undefined

  /** `content`: that of a frozen folder. */
  constructor(volume: MemoryVolume, inode?: Inode, content?: FrozenFolder) {
    super()
    this.volume = volume
    this.#inode = inode
    this.#unread = content
    if (inode !== undefined && content === undefined) inode.links = 2
  }

  /** The frozen folder from which it was made, until it is first read or changed. */
  get unread(): FrozenFolder | undefined {
    return this.#unread
  }

  get names(): Map<string, MemoryNode> {
    if (this.#unread !== undefined) this.#readFrozen(this.#unread)
    return this.#names
  }

  #readFrozen({ names }: FrozenFolder): void {
    this.#unread = undefined
    for (const [name, frozen] of names) {
      const node = frozen.thaw(this.volume)
      this.#names.set(name, node)
      if (node instanceof MemoryFolder) {
        node.parent = this
        node.name = name
      }
    }
  }

  /** Returns the names whose nodes are kept here. */
  ownNames(): Iterable<readonly [string, MemoryNode]> {
    return this.names
  }

  /** Returns its current state, with these names. `frozen`: the volume of its frozen inode. */
  freeze(frozen: MemoryVolume, names: FrozenFolder["names"]): FrozenFolder {
    const inode = this.inode.copyTo(frozen)
    const folder: FrozenFolder = {
      inode,
      names,
      thaw: (volume) => new MemoryFolder(volume, inode.copyTo(volume), folder),
    }
    return folder
  }

  /** Its inode; in an overlay it is created with the first change. */
  get inode(): Inode {
    return this.#inode ??= this.makeInode()
  }

  /** Whether its inode differs from that of a lower volume; its entries may still be the same. */
  get changed(): boolean {
    return this.#inode !== undefined
  }

  protected makeInode(): Inode {
    return new Inode(this.volume, 0o700)
  }

  override usage(): ReturnType<Folder["usage"]> {
    const { bytes, maxBytes, maxNames, names } = this.volume
    return { kind: this.kind, usedBytes: bytes, maxBytes, usedNames: names, maxNames }
  }

  protected get kind(): string {
    return "memory"
  }

  override permits(bits: number): boolean {
    return ownerPermits(this.inode.mode, bits)
  }

  override stat(): Stat | number {
    // The size on ext4, because some programs check that the size of a folder is not 0.
    return this.inode.stat(this.type, 4096)
  }

  override setMode(mode: number): number {
    return this.volume.readOnly ? -Errno.EROFS : this.inode.setMode(mode)
  }

  override setTimes(accessed: bigint | undefined, modified: bigint | undefined): number {
    return this.volume.readOnly ? -Errno.EROFS : this.inode.setTimes(accessed, modified)
  }

  override lookup(name: string): Node | number {
    return this.names.get(name) ?? -Errno.ENOENT
  }

  override list(): ReadonlyArray<DirectoryEntry> | number {
    if (this.removed) return -Errno.ENOENT
    this.inode.read()
    return Array.from(this.names, ([name, { inode, type }]) => ({ name, inode: inode.inode, type }))
  }

  override createFile(name: string, mode: number, open: NodeOpenOptions): OpenFile | number {
    const room = this.#room()
    if (room < 0) return room
    const file = new MemoryFile(this.volume, new Inode(this.volume, mode))
    this.#set(name, file)
    return file.open(open)
  }

  /** Adds a file that `make` makes. The name does not exist. Returns 0 or an errno. */
  addFile(name: string, mode: number, make: (volume: MemoryVolume, inode: Inode) => MemoryFile): number {
    const room = this.#room()
    if (room < 0) return room
    this.#set(name, make(this.volume, new Inode(this.volume, mode)))
    return 0
  }

  override createFolder(name: string, mode: number): number {
    const room = this.#room()
    if (room < 0) return room
    this.put(name, this.makeFolder(new Inode(this.volume, mode)))
    return 0
  }

  protected makeFolder(inode: Inode): MemoryFolder {
    return new MemoryFolder(this.volume, inode)
  }

  override createLink(name: string, target: string): number {
    const bytes = utf8Length(target)
    if (bytes > 4095) return -Errno.ENAMETOOLONG
    if (bytes > this.volume.maxBytes - this.volume.bytes) return -Errno.ENOSPC
    const room = this.#room()
    if (room < 0) return room
    this.volume.bytes += bytes
    this.#set(name, new MemoryLink(new Inode(this.volume, 0o777), target, bytes))
    return 0
  }

  override createFifo(name: string, mode: number): number {
    const room = this.#room()
    if (room < 0) return room
    this.#set(name, new MemoryFifo(new Inode(this.volume, mode)))
    return 0
  }

  override addName(name: string, node: Node): number {
    if (!(node instanceof MemoryFile || node instanceof MemoryLink || node instanceof MemoryFifo)) return -Errno.EPERM
    if (node.inode.links >= maxLinks) return -Errno.EMLINK
    const room = this.#room()
    if (room < 0) return room
    node.inode.addLinks(1)
    this.#set(name, node)
    return 0
  }

  override removeFile(name: string, _node: Node): number {
    if (this.volume.readOnly) return -Errno.EROFS
    const node = this.names.get(name)
    if (node === undefined || node instanceof MemoryFolder) return -Errno.ENOENT
    this.take(name)
    dropName(node)
    return 0
  }

  override removeFolder(name: string, node: Folder): number {
    if (this.volume.readOnly) return -Errno.EROFS
    if (!(node instanceof MemoryFolder)) return -Errno.ENOENT
    if (!node.isEmpty()) return -Errno.ENOTEMPTY
    this.take(name)
    dropFolder(node)
    return 0
  }

  override moveName(name: string, _node: Node, to: Folder, toName: string, replaced: Node | undefined): number {
    if (this.volume.readOnly) return -Errno.EROFS
    const node = this.names.get(name)
    if (!(to instanceof MemoryFolder) || to.removed) return -Errno.ENOENT
    // A node that is not kept here (a device below) cannot be moved.
    if (node === undefined) return -Errno.EPERM
    if (replaced !== undefined) {
      const gone = replaced instanceof Folder ? to.removeFolder(toName, replaced) : to.removeFile(toName, replaced)
      if (gone < 0) return gone
    }
    this.take(name)
    this.volume.names++
    to.put(toName, node)
    node.inode.changed = this.volume.now()
    return 0
  }

  /** Drops all names except those of folders in `kept`; returns all nodes that the folder had. */
  forget(kept: ReadonlySet<Folder>): ReadonlyArray<MemoryNode> {
    const all = Array.from(this.names)
    for (const [name, node] of all) {
      if (node instanceof MemoryFolder && kept.has(node)) continue
      this.names.delete(name)
      this.volume.names--
      if (node instanceof MemoryFolder) node.removed = true
      else dropName(node)
    }
    if (this.#inode !== undefined) this.#inode.links = 2 + this.names.size
    return all.map(([, node]) => node)
  }

  /** Drops the inode: that of the lower volume applies again. */
  protected forgetInode(): void {
    this.#inode = undefined
  }

  isEmpty(): boolean {
    return this.names.size === 0
  }

  /** Adds a name that is already counted. */
  put(name: string, node: MemoryNode): void {
    this.#set(name, node)
    if (node instanceof MemoryFolder) {
      node.parent = this
      node.name = name
      this.inode.links++
    }
  }

  take(name: string): void {
    if (this.names.get(name) instanceof MemoryFolder) this.inode.links--
    this.names.delete(name)
    this.volume.names--
    this.inode.touch()
  }

  #set(name: string, node: MemoryNode): void {
    this.names.set(name, node)
    this.inode.touch()
  }

  /** Counts one more name; returns 0 or an errno. */
  #room(): number {
    if (this.volume.readOnly) return -Errno.EROFS
    return this.removed ? -Errno.ENOENT : this.volume.takeName()
  }
}

const dropFolder = (folder: MemoryFolder): void => {
  folder.removed = true
  folder.inode.addLinks(-folder.inode.links)
}

export const dropName = (node: Exclude<MemoryNode, MemoryFolder>): void => {
  if (node instanceof MemoryFile) node.removeName()
  else {
    node.inode.addLinks(-1)
    if (node.inode.links === 0) node.inode.volume.bytes -= node.charged
  }
}
