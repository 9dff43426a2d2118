/**
 * Freezes an in-memory volume, so that forks share its content: each fork makes its own nodes of a folder when it first
 * reads the folder, and copies a chunk of a file before it changes the chunk.
 */
import { type Coroutine, runCoroutineSync } from "../Coroutine.ts"
import { type Frozen, isLinked } from "./Frozen.ts"
import { type FrozenFolder, MemoryFolder, type MemoryNode } from "./MemoryFolder.ts"
import type { MemoryVolume } from "./MemoryVolume.ts"
import type { Volume } from "./Node.ts"

export interface FrozenVolume {
  /** Holds the usage and the inodes. */
  readonly volume: MemoryVolume
  readonly root: FrozenFolder
}

const namesPerStep = 256

function* freezeTree(root: MemoryFolder, volume: MemoryVolume): Coroutine<FrozenFolder> {
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
  let count = 0
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    const [folder, { names }] = task
    for (const [name, node] of folder.ownNames()) {
      if (node instanceof MemoryFolder) names.set(name, freezeFolder(node))
      else {
        const frozen = seen.get(node) ?? node.freeze(volume)
        names.set(name, frozen)
        if (isLinked(frozen)) seen.set(node, frozen)
      }
      if (++count % namesPerStep === 0) yield
    }
  }
  return frozenRoot
}

/**
 * The latest frozen tree of a volume, and its count of changes then. Weak, so that only forks keep old content alive.
 */
const latest = new WeakMap<MemoryVolume, { readonly frozen: WeakRef<FrozenVolume>; readonly changes: number }>()

/** Returns the frozen tree of a volume, if nothing has changed since. */
export const latestFrozen = ({ volume }: MemoryFolder): FrozenVolume | undefined => {
  const last = latest.get(volume)
  return last?.changes === volume.changes ? last.frozen.deref() : undefined
}

/** Freezes the volume of a root, or returns its frozen tree if nothing has changed since. */
export const freeze = (root: MemoryFolder): FrozenVolume => runCoroutineSync(freezeSteps(root)) ?? freeze(root)

/**
 * As {@link freeze}, in steps. Returns `undefined` if something else has changed the volume between two steps, because
 * the frozen nodes are then of no single moment.
 */
export function* freezeSteps(root: MemoryFolder): Coroutine<FrozenVolume | undefined> {
  const same = latestFrozen(root)
  if (same !== undefined) return same
  const { volume } = root
  const copy = volume.fork(() => 0n)
  for (const { charged } of volume.orphans) copy.bytes -= charged
  const tree = freezeTree(root, copy)
  for (;;) {
    const next = tree.next()
    // The steps themselves count as changes if they make nodes of a frozen folder.
    const { changes } = volume
    if (next.done === true) {
      const frozen = { volume: copy, root: next.value }
      latest.set(volume, { frozen: new WeakRef(frozen), changes })
      return frozen
    }
    yield
    if (volume.changes !== changes) return undefined
  }
}

/** Returns a volume that starts with the frozen state. */
export const forkOf = (frozen: FrozenVolume): Volume => ({ now }) => frozen.root.thaw(frozen.volume.fork(now))
