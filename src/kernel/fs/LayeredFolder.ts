/** Implements a folder of an overlay: the folders of lower volumes, merged with changes in memory. */
import { Errno } from "../Errno.ts"
import { type DirectoryEntry, FileType, type Stat } from "../Stat.ts"
import { LayeredFile } from "./LayeredFile.ts"
import { dropName, type FrozenFolder, MemoryFolder, MemoryLink, type MemoryNode } from "./MemoryFolder.ts"
import { Inode, type MemoryVolume } from "./MemoryVolume.ts"
import { FileNode, Folder, LinkNode, type Node, ownerPermits, Permission } from "./Node.ts"
import { type Origin, originOf } from "./Origin.ts"

export class LayeredFolder extends MemoryFolder {
  #lowers: ReadonlyArray<Folder>
  /** Names that come from below; the other names were created in this layer. */
  readonly borrowed: Set<string> = new Set()
  /** Hidden names of the lower folders, with the nodes that they had. */
  readonly hidden: Map<string, Origin | undefined> = new Map()

  constructor(volume: MemoryVolume, lowers: ReadonlyArray<Folder>, inode?: Inode, content?: FrozenFolder) {
    super(volume, inode, content)
    this.#lowers = lowers
  }

  /** Has no lower folder until a commit creates the folder below as well. */
  protected override makeFolder(inode: Inode): MemoryFolder {
    return new LayeredFolder(this.volume, [], inode)
  }

  /** The names of nodes that differ from the lower ones, and of folders, which may contain such nodes. */
  override ownNames(): Iterable<readonly [string, MemoryNode]> {
    return Array.from(this.names).filter(([name, node]) => node instanceof Folder || !this.isUnchanged(name, node))
  }

  override freeze(frozen: MemoryVolume, names: FrozenFolder["names"]): FrozenFolder {
    const lowers = this.#lowers
    const inode = this.changed ? this.inode.copyTo(frozen) : undefined
    const kept = this.unread === undefined ? new Map(this.ownNames()) : this.unread.names
    const borrowed = Array.from(this.borrowed).filter((name) => kept.has(name))
    const hidden = Array.from(this.hidden)
    const folder: FrozenFolder = {
      inode,
      names,
      thaw: (volume) => {
        const copy = new LayeredFolder(volume, lowers, inode?.copyTo(volume), folder)
        for (const name of borrowed) copy.borrowed.add(name)
        for (const [name, origin] of hidden) copy.hidden.set(name, origin)
        return copy
      },
    }
    return folder
  }

  protected override makeInode(): Inode {
    const stat = this.#lowers[0]?.stat()
    const inode = new Inode(this.volume, 0o755, typeof stat === "object" ? stat : undefined)
    inode.links = typeof stat === "object" ? stat.links : 2
    return inode
  }

  override stat(): Stat | number {
    const [first] = this.#lowers
    return this.changed || first === undefined ? super.stat() : first.stat()
  }

  protected override get kind(): string {
    return "overlay"
  }

  /** Checks the mode for the owner; for traversal alone, asks the lower volume, which is cheaper. */
  override permits(bits: number): boolean {
    const [first] = this.#lowers
    if (this.changed || first === undefined) return super.permits(bits)
    if (bits === Permission.execute) return first.permits(bits)
    const stat = first.stat()
    return typeof stat !== "number" && ownerPermits(stat.mode, bits)
  }

  override lookup(name: string): Node | number {
    const here = this.names.get(name)
    if (here !== undefined && !this.borrowed.has(name)) return here
    if (this.removed || this.hidden.has(name)) return -Errno.ENOENT
    const found = this.#lookupBelow(name)
    if (typeof found === "number") {
      // Removed in the lower volume; changes in this layer stay.
      if (here !== undefined && isChanged(here)) return here
      this.names.delete(name)
      this.borrowed.delete(name)
      return found
    }
    const node = here === undefined ? undefined : revalidate(here, found)
    if (node !== undefined) return node
    const fresh = this.#wrap(found)
    if (typeof fresh === "number") return fresh
    if (fresh instanceof MemoryFolder) {
      fresh.parent = this
      fresh.name = name
    }
    // Nodes that cannot be changed here (devices) are not kept.
    if (fresh instanceof FileNode && !(fresh instanceof LayeredFile)) return fresh
    this.names.set(name, fresh)
    this.borrowed.add(name)
    return fresh
  }

  /** Looks up a name in the lower volumes: one node, or folders that are merged. */
  #lookupBelow(name: string): ReadonlyArray<Node> | number {
    const folders: Array<Folder> = []
    for (const lower of this.#lowers) {
      const node = lower.lookup(name)
      if (typeof node === "number") {
        if (node !== -Errno.ENOENT && folders.length === 0) return node
        continue
      }
      if (node instanceof Folder) folders.push(node)
      else if (folders.length === 0) return [node]
      else break
    }
    return folders.length === 0 ? -Errno.ENOENT : folders
  }

  #wrap(found: ReadonlyArray<Node>): MemoryNode | FileNode | number {
    const [first] = found
    if (first instanceof FileNode) {
      return first.type === FileType.regularFile ? new LayeredFile(this.volume, first) : first
    }
    if (!(first instanceof LinkNode)) {
      return new LayeredFolder(
        this.volume,
        found.filter((node) => node instanceof Folder),
      )
    }
    const target = first.readlink()
    const stat = first.stat()
    if (typeof target === "number") return target
    return typeof stat === "number" ? stat : new MemoryLink(new Inode(this.volume, 0o777, stat), target, 0)
  }

  renew(lowers: ReadonlyArray<Folder>): void {
    this.#lowers = lowers
  }

  get lowers(): ReadonlyArray<Folder> {
    return this.#lowers
  }

  /** Returns the lower node of a name, before it is hidden. */
  #originOf(name: string, node: Node | undefined): Origin | undefined {
    if (node instanceof LayeredFile && node.origin !== undefined) return node.origin
    const below = this.#lookupBelow(name)
    const [first] = typeof below === "number" ? [] : below
    if (first === undefined) return undefined
    return originOf(first, node instanceof LayeredFolder && node.isEmpty() ? node.hidden : undefined)
  }

  /** Shows the lower node of a name again. `drops`: drops the file or the link of this layer, if it has one. */
  showLower(name: string, drops: boolean): void {
    const node = this.names.get(name)
    this.volume.changes++
    this.hidden.delete(name)
    if (!drops || node === undefined || node instanceof MemoryFolder) return
    this.names.delete(name)
    if (!this.borrowed.delete(name)) this.volume.names--
    dropName(node)
  }

  /** Puts a folder of this layer over a lower one, which has all entries that this layer does not keep. */
  adopt(name: string, lower: Folder): void {
    const node = this.names.get(name)
    this.volume.changes++
    this.hidden.delete(name)
    if (!(node instanceof LayeredFolder)) return
    node.renew([lower])
    if (!this.borrowed.has(name)) this.volume.names--
    this.borrowed.add(name)
    node.forgetInode()
  }

  /** Keeps a node of this layer even if the lower folders have no node of its name. */
  pin(name: string): void {
    if (!this.names.has(name) || !this.borrowed.delete(name)) return
    this.volume.names++
    this.volume.changes++
  }

  override forgetInode(): void {
    super.forgetInode()
    this.volume.changes++
  }

  override list(): ReadonlyArray<DirectoryEntry> | number {
    if (this.removed) return -Errno.ENOENT
    const entries = new Map<string, DirectoryEntry>()
    for (const [name, node] of this.names) {
      if (this.borrowed.has(name) && !isChanged(node)) continue
      entries.set(name, { name, inode: node.inode.inode, type: node.type })
    }
    for (const lower of this.#lowers) {
      const listed = lower.list()
      if (listed === -Errno.ENOENT) continue
      if (typeof listed === "number") return listed
      for (const entry of listed) {
        if (!entries.has(entry.name) && !this.hidden.has(entry.name)) entries.set(entry.name, entry)
      }
    }
    return Array.from(entries.values())
  }

  hide(name: string): void {
    const origin = this.hidden.get(name) ?? this.#originOf(name, this.names.get(name))
    if (this.names.has(name)) this.take(name)
    this.hidden.set(name, origin)
    this.inode.touch()
  }

  isUnchanged(name: string, node: MemoryNode): boolean {
    return this.borrowed.has(name) && !isChanged(node)
  }

  override forget(kept: ReadonlySet<Folder>): ReadonlyArray<MemoryNode> {
    const borrowed = new Set(this.borrowed)
    this.borrowed.clear()
    this.hidden.clear()
    const forgotten = super.forget(kept)
    this.forgetInode()
    // Names from below are not counted.
    this.volume.names += borrowed.size
    for (const name of this.names.keys()) {
      if (!borrowed.has(name)) continue
      this.borrowed.add(name)
      this.volume.names--
    }
    return forgotten
  }

  override isEmpty(): boolean {
    const listed = this.list()
    return typeof listed !== "number" && listed.length === 0
  }

  override removeFile(name: string, node: Node): number {
    if (this.names.has(name) || this.volume.readOnly) return super.removeFile(name, node)
    this.hide(name)
    return 0
  }

  override take(name: string): void {
    const origin = this.borrowed.has(name) ? this.#originOf(name, this.names.get(name)) : undefined
    const borrowed = this.borrowed.delete(name)
    super.take(name)
    if (!borrowed) return
    this.hidden.set(name, origin)
    // A name from below is not counted.
    this.volume.names++
  }
}

const isChanged = (node: MemoryNode): boolean =>
  node instanceof LayeredFile
    ? node.lower === undefined || node.changed
    : node instanceof MemoryFolder
    ? node.changed
    : node.inode.altered

/** Returns the node of this layer if it still matches the lower volume. */
const revalidate = (here: MemoryNode, found: ReadonlyArray<Node>): MemoryNode | undefined => {
  const [first] = found
  if (here instanceof LayeredFile) {
    if (here.lower === undefined) return here
    if (!(first instanceof FileNode) || first.type !== here.type) return undefined
    here.lower = first
    return here
  }
  if (here instanceof LayeredFolder) {
    if (!(first instanceof Folder)) return here.changed ? here : undefined
    here.renew(found.filter((node) => node instanceof Folder))
    return here
  }
  if (isChanged(here)) return here
  return here instanceof MemoryLink && first instanceof LinkNode && first.readlink() === here.target ? here : undefined
}
