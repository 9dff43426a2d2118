/**
 * Implements a folder in memory over folders of lower volumes. Unchanged names are looked up below each time, so
 * changes there are seen.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import { type DirectoryEntry, FileType, type Stat } from "../Stat.ts"
import { LayeredFile } from "./LayeredFile.ts"
import { MemoryFolder, MemoryLink, type MemoryNode } from "./MemoryFolder.ts"
import { Inode, type MemoryVolume } from "./MemoryVolume.ts"
import { FileNode, Folder, LinkNode, type Node, ownerMay, Permission } from "./Node.ts"

/** A folder of the merged tree. */
export class LayeredFolder extends MemoryFolder {
  #lowers: ReadonlyArray<Folder>
  /** Names that are here because they are below; the others were made here. */
  readonly borrowed: Set<string> = new Set()
  /** Names that are below, but no longer seen. */
  readonly hidden: Set<string> = new Set()

  constructor(volume: MemoryVolume, lowers: ReadonlyArray<Folder>) {
    super(volume)
    this.#lowers = lowers
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

  /** As its mode says to an owner; on the way through only what the lower volume says, which is cheaper to ask. */
  override permits(bits: number): boolean {
    const [first] = this.#lowers
    if (this.changed || first === undefined) return super.permits(bits)
    if (bits === Permission.execute) return first.permits(bits)
    const stat = first.stat()
    return typeof stat !== "number" && ownerMay(stat.mode, bits)
  }

  override lookup(name: string): Node | number {
    const here = this.names.get(name)
    if (here !== undefined && !this.borrowed.has(name)) return here
    if (this.removed || this.hidden.has(name)) return -Errno.ENOENT
    const found = this.#below(name)
    if (typeof found === "number") {
      // Gone below: what was written to stays.
      if (here !== undefined && isOwn(here)) return here
      this.names.delete(name)
      this.borrowed.delete(name)
      return found
    }
    const node = here === undefined ? undefined : renewed(here, found)
    if (node !== undefined) return node
    const fresh = this.#show(found)
    if (typeof fresh === "number") return fresh
    if (fresh instanceof MemoryFolder) {
      fresh.parent = this
      fresh.name = name
    }
    // Nodes that cannot be changed here (devices) are not ours.
    if (fresh instanceof FileNode && !(fresh instanceof LayeredFile)) return fresh
    this.names.set(name, fresh)
    this.borrowed.add(name)
    return fresh
  }

  /** What the lower volumes have of that name: one node, or folders that are seen as one. */
  #below(name: string): ReadonlyArray<Node> | number {
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

  #show(found: ReadonlyArray<Node>): MemoryNode | FileNode | number {
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

  /** Other folders below: they came anew. */
  renew(lowers: ReadonlyArray<Folder>): void {
    this.#lowers = lowers
  }

  override list(): ReadonlyArray<DirectoryEntry> | number {
    if (this.removed) return -Errno.ENOENT
    const entries = new Map<string, DirectoryEntry>()
    for (const [name, node] of this.names) {
      if (this.borrowed.has(name) && !isOwn(node)) continue
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

  /** Hides what is below under a name. */
  hide(name: string): void {
    if (this.names.has(name)) this.take(name)
    this.hidden.add(name)
    this.inode.touch()
  }

  /** Whether what is here under a name is only what is below. */
  shows(name: string, node: MemoryNode): boolean {
    return this.borrowed.has(name) && !isOwn(node)
  }

  override forget(kept: ReadonlySet<Folder>): ReadonlyArray<MemoryNode> {
    const borrowed = new Set(this.borrowed)
    this.borrowed.clear()
    this.hidden.clear()
    const forgotten = super.forget(kept)
    this.forgetInode()
    // Those were never counted.
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
    const borrowed = this.borrowed.delete(name)
    super.take(name)
    if (!borrowed) return
    this.hidden.add(name)
    // It was never counted.
    this.volume.names++
  }
}

/** Whether a node that was below is one of ours by now. */
const isOwn = (node: MemoryNode): boolean =>
  node instanceof LayeredFile
    ? node.lower === undefined || node.changed
    : node instanceof MemoryFolder
    ? node.changed
    : node.inode.altered

/** The node that is here, if it still stands for what is below. */
const renewed = (here: MemoryNode, found: ReadonlyArray<Node>): MemoryNode | undefined => {
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
  if (isOwn(here)) return here
  return here instanceof MemoryLink && first instanceof LinkNode && first.readlink() === here.target ? here : undefined
}
