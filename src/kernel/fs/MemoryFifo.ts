/** Implements FIFOs of in-memory volumes: pipes with a name. Source: fifo(7). */
import { Errno } from "../Errno.ts"
import { FileFlag, type OpenFile } from "../OpenFile.ts"
import { Fifo, FifoDuplex, FifoReader, FifoWriter } from "../process/Fifo.ts"
import { pipeCapacity } from "../process/Pipe.ts"
import { FileType, type Stat } from "../Stat.ts"
import { type Frozen, frozenOf } from "./Frozen.ts"
import type { Inode, MemoryVolume } from "./MemoryVolume.ts"
import { FileNode, type NodeOpenOptions, ownerPermits, Permission } from "./Node.ts"

export class MemoryFifo extends FileNode {
  override readonly type: FileType = FileType.unknown
  readonly inode: Inode
  readonly charged = 0
  readonly #fifo: Fifo

  constructor(inode: Inode) {
    super()
    this.inode = inode
    // Its buffer is counted while the FIFO is open, but not in a copy of the volume.
    const buffer = { charged: pipeCapacity }
    const { volume } = inode
    this.#fifo = new Fifo(() => this.stat(), {
      take: () => {
        if (pipeCapacity > volume.maxBytes - volume.bytes) return -Errno.ENOSPC
        volume.bytes += pipeCapacity
        volume.orphans.add(buffer)
        return 0
      },
      give: () => {
        volume.bytes -= pipeCapacity
        volume.orphans.delete(buffer)
      },
    })
  }

  override stat(): Stat {
    return this.inode.stat(this.type, 0)
  }

  override setMode(mode: number): number {
    return this.inode.volume.readOnly ? -Errno.EROFS : this.inode.setMode(mode)
  }

  override setTimes(accessed: bigint | undefined, modified: bigint | undefined): number {
    return this.inode.volume.readOnly ? -Errno.EROFS : this.inode.setTimes(accessed, modified)
  }

  override open({ flags, read, trusted, write }: NodeOpenOptions): OpenFile | number {
    const requested = (read ? Permission.read : 0) | (write ? Permission.write : 0)
    if (!trusted && !ownerPermits(this.inode.mode, requested)) return -Errno.EACCES
    const fifo = this.#fifo
    const isNonBlocking = (flags & FileFlag.nonblock) !== 0
    // A write that cannot wait has nowhere to go if the FIFO never gets a reader.
    if (write && !read && isNonBlocking && !fifo.hasReader) return -Errno.ENXIO
    const room = fifo.begin()
    if (room < 0) return room
    const file = read && write
      ? new FifoDuplex(fifo)
      : write
      ? new FifoWriter(fifo, isNonBlocking)
      : new FifoReader(fifo, isNonBlocking)
    file.flags = flags
    return file
  }

  freeze(frozen: MemoryVolume): Frozen<MemoryFifo> {
    const { inode } = this
    return frozenOf(inode.copyTo(frozen), undefined, (_volume, own = inode) => new MemoryFifo(own))
  }
}
