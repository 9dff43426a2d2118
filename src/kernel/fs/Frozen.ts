/** Declares a snapshot of the nodes of an in-memory volume, from which each fork makes its own nodes. */
import type { Inode, MemoryVolume } from "./MemoryVolume.ts"
import type { FrozenBytes } from "./SparseBytes.ts"

export interface Frozen<A> {
  /** `undefined` where an overlay has the inode of the lower volume. */
  readonly inode: Inode | undefined
  /** Bytes of a file that are in memory. */
  readonly bytes?: FrozenBytes
  /** Makes its node in another volume. */
  readonly thaw: (volume: MemoryVolume) => A
}

/** Whether a file or a link may have further names. */
export const isLinked = ({ inode }: Frozen<unknown>): boolean => (inode?.links ?? 1) > 1

/** Freezes a file or a link. With several names it still becomes one node of a volume. */
export const frozenOf = <A extends object>(
  inode: Inode | undefined,
  bytes: FrozenBytes | undefined,
  make: (volume: MemoryVolume, inode: Inode | undefined) => A,
): Frozen<A> => {
  const thaw = (volume: MemoryVolume): A => make(volume, inode?.copyTo(volume))
  const frozen: Frozen<A> = { inode, ...(bytes === undefined ? undefined : { bytes }), thaw }
  if (!isLinked(frozen)) return frozen
  const made = new WeakMap<MemoryVolume, A>()
  return {
    ...frozen,
    thaw: (volume) => {
      const node = made.get(volume) ?? thaw(volume)
      made.set(volume, node)
      volume.hasLinked = true
      return node
    },
  }
}
