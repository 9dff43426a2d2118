/**
 * Freezes an in-memory volume, so that forks share what it holds: each makes its own nodes of a folder when it first looks into it,
 * and copies a chunk of a file before it changes it.
 */
import { type Frozen, isLinked } from "./Frozen.ts"
import { type FrozenFolder, MemoryFolder, type MemoryNode } from "./MemoryFolder.ts"
import type { MemoryVolume } from "./MemoryVolume.ts"
import type { Volume } from "./Node.ts"

export interface FrozenVolume {
  /** Holds the usage and the inodes. */
  readonly volume: MemoryVolume
  readonly root: FrozenFolder
}

const freezeTree = (root: MemoryFolder, volume: MemoryVolume): FrozenFolder => {
  const freezeFolder = (folder: MemoryFolder): FrozenFolder => {
    // A file with several names may be changed by one of them while the folder of another is still frozen.
    const shared = root.volume.hasLinked ? undefined : folder.unread?.names
    const frozen = folder.freeze(volume, shared ?? new Map())
    if (shared === undefined) tasks.push([folder, frozen])
    return frozen
  }
  const tasks: Array<readonly [MemoryFolder, FrozenFolder]> = []
  const seen = new Map<MemoryNode, Frozen<MemoryNode>>()
  const frozenRoot = freezeFolder(root)
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    const [folder, { names }] = task
    for (const [name, node] of folder.ownNames()) {
      if (node instanceof MemoryFolder) names.set(name, freezeFolder(node))
      else {
        const frozen = seen.get(node) ?? node.freeze(volume)
        names.set(name, frozen)
        if (isLinked(frozen)) seen.set(node, frozen)
      }
    }
  }
  return frozenRoot
}

/** The latest frozen tree of a volume, and its count of changes then. Weak, so that old content is kept for forks alone. */
const latest = new WeakMap<MemoryVolume, { readonly frozen: WeakRef<FrozenVolume>; readonly changes: number }>()

/** Freezes the volume of a root, or returns what was frozen when nothing has changed since. */
export const freeze = (root: MemoryFolder): FrozenVolume => {
  const { volume } = root
  const last = latest.get(volume)
  const same = last?.changes === volume.changes ? last.frozen.deref() : undefined
  if (same !== undefined) return same
  const copy = volume.fork(() => 0n)
  for (const { charged } of volume.orphans) copy.bytes -= charged
  const frozen = { volume: copy, root: freezeTree(root, copy) }
  latest.set(volume, { frozen: new WeakRef(frozen), changes: volume.changes })
  return frozen
}

/** Returns a volume that starts as the frozen one. */
export const forkOf = (frozen: FrozenVolume): Volume => ({ now }) => frozen.root.thaw(frozen.volume.fork(now))
