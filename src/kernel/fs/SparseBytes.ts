/** Stores the bytes of an in-memory file in chunks of 64 KiB that are charged to its volume, and that forks share. */
import { Errno } from "../Errno.ts"
import type { MemoryVolume } from "./MemoryVolume.ts"

const chunkBytes = 65_536
/** Minimum charge for each chunk after the first: a million chunks of one byte take far more memory than a megabyte. */
const minCharge = 256

interface Chunk {
  /** Only the {@link SparseBytes} with this owner may change the chunk. */
  readonly owner: object
  /** Zero from `used` on. */
  bytes: Uint8Array
  used: number
  charged: number
}

/** The bytes of a file at one moment. */
export interface FrozenBytes {
  readonly chunks: ReadonlyMap<number, Chunk>
  readonly size: number
  readonly charged: number
}

const noChunk = new Uint8Array(0)
const noBytes: FrozenBytes = { chunks: new Map(), size: 0, charged: 0 }

const isSameChunk = (a: Chunk | undefined, b: Chunk | undefined): boolean => {
  const [one, two] = [a?.bytes ?? noChunk, b?.bytes ?? noChunk]
  const length = Math.max(a?.used ?? 0, b?.used ?? 0)
  for (let at = 0; at < length; at++) if ((one[at] ?? 0) !== (two[at] ?? 0)) return false
  return true
}

export class SparseBytes {
  readonly #volume: MemoryVolume
  #chunks: ReadonlyMap<number, Chunk>
  /** The same chunks where the map is not shared with {@link #frozen}. */
  #own: Map<number, Chunk> | undefined
  #frozen: FrozenBytes | undefined
  #owner: object = {}
  #charged: number
  size: number

  /** `bytes`: the initial bytes, which the volume already counts. */
  constructor(volume: MemoryVolume, bytes: FrozenBytes = noBytes) {
    this.#volume = volume
    this.#frozen = bytes
    this.#chunks = bytes.chunks
    this.#charged = bytes.charged
    this.size = bytes.size
  }

  /** Bytes that its volume counts. */
  get charged(): number {
    return this.#charged
  }

  /** Returns the current bytes; a later change copies the chunk that it changes. */
  freeze(): FrozenBytes {
    if (this.#frozen === undefined) {
      this.#owner = {}
      this.#own = undefined
      this.#frozen = { chunks: this.#chunks, size: this.size, charged: this.#charged }
    }
    return this.#frozen
  }

  /** Fills the empty file with bytes, and charges them to the volume. Returns 0, `-EFBIG` or `-ENOSPC`. */
  adopt(bytes: FrozenBytes): number {
    if (bytes.size > this.#volume.maxFileBytes) return -Errno.EFBIG
    if (bytes.charged > this.#volume.maxBytes - this.#volume.bytes) return -Errno.ENOSPC
    this.free()
    this.#volume.bytes += bytes.charged
    this.#owner = {}
    this.#own = undefined
    this.#frozen = bytes
    this.#chunks = bytes.chunks
    this.#charged = bytes.charged
    this.size = bytes.size
    return 0
  }

  /** Whether these bytes and others were the same and neither has changed since. */
  shares(other: SparseBytes): boolean {
    return this.size === other.size && this.#chunks === other.#chunks
  }

  /** Compares with others, without the chunks that both share; yields between chunks. */
  *isSameAs(other: SparseBytes): Generator<void, boolean, void> {
    if (this.size !== other.size) return false
    if (this.#chunks === other.#chunks) return true
    for (const index of new Set([...this.#chunks.keys(), ...other.#chunks.keys()])) {
      const [own, its] = [this.#chunks.get(index), other.#chunks.get(index)]
      if (own === its) continue
      if (!isSameChunk(own, its)) return false
      yield
    }
    return true
  }

  /** The map of chunks, to be changed. */
  #change(): Map<number, Chunk> {
    this.#frozen = undefined
    if (this.#own === undefined) this.#chunks = this.#own = new Map(this.#chunks)
    return this.#own
  }

  /** A chunk that may be changed. */
  #ownedChunk(index: number, chunk: Chunk | undefined): Chunk {
    if (chunk?.owner === this.#owner) return chunk
    const { bytes = new Uint8Array(0), charged = 0, used = 0 } = chunk ?? {}
    const owned = { owner: this.#owner, bytes: bytes.slice(), used, charged }
    if (chunk !== undefined) this.#change().set(index, owned)
    return owned
  }

  read(offset: number, into: Uint8Array): number {
    const length = Math.min(into.length, this.size - offset)
    if (length <= 0) return 0
    for (let done = 0; done < length;) {
      const index = Math.floor((offset + done) / chunkBytes)
      const within = offset + done - index * chunkBytes
      const part = Math.min(chunkBytes - within, length - done)
      const chunk = this.#chunks.get(index)
      const here = chunk === undefined ? 0 : Math.max(0, Math.min(part, chunk.used - within))
      if (chunk !== undefined && here > 0) into.set(chunk.bytes.subarray(within, within + here), done)
      if (here < part) into.fill(0, done + here, done + part)
      done += part
    }
    return length
  }

  /** Writes as many bytes as the limits allow, at least one; `-EFBIG` or `-ENOSPC` if they allow none. */
  write(offset: number, from: Uint8Array): number {
    if (from.length === 0) return 0
    const length = Math.min(from.length, this.#volume.maxFileBytes - offset)
    if (length <= 0) return -Errno.EFBIG
    this.#change()
    let done = 0
    while (done < length) {
      const index = Math.floor((offset + done) / chunkBytes)
      const within = offset + done - index * chunkBytes
      const maxPart = Math.min(chunkBytes - within, length - done)
      const chunk = this.#reserve(index, within, within + maxPart)
      const part = Math.min(maxPart, chunk.used - within)
      if (part <= 0) break
      chunk.bytes.set(from.subarray(done, done + part), within)
      done += part
    }
    if (done === 0) return -Errno.ENOSPC
    this.size = Math.max(this.size, offset + done)
    return done
  }

  truncate(size: number): number {
    if (size > this.#volume.maxFileBytes) return -Errno.EFBIG
    this.#change()
    if (size < this.size) {
      const last = Math.floor(size / chunkBytes)
      for (const [index, chunk] of [...this.#chunks]) {
        if (index < last) continue
        const used = index > last ? 0 : Math.min(chunk.used, size - last * chunkBytes)
        if (used < chunk.used) this.#shrink(index, chunk, used)
      }
    }
    this.size = size
    return 0
  }

  /** Allocates and charges the bytes of a range: posix_fallocate(3). */
  allocate(offset: number, length: number): number {
    const end = offset + length
    if (end > this.#volume.maxFileBytes) return -Errno.EFBIG
    if (length - this.#charged > this.#volume.maxBytes - this.#volume.bytes) return -Errno.ENOSPC
    this.#change()
    for (let index = Math.floor(offset / chunkBytes); index * chunkBytes < end; index++) {
      const need = Math.min(chunkBytes, end - index * chunkBytes)
      if (this.#reserve(index, 0, need).used >= need) continue
      // Releases the bytes reserved beyond the size.
      const { size } = this
      this.size = Math.max(size, end)
      this.truncate(size)
      return -Errno.ENOSPC
    }
    this.size = Math.max(this.size, end)
    return 0
  }

  /** Returns the ranges that have bytes, in order; `undefined` if there are no holes. */
  extents(): ReadonlyArray<{ readonly offset: number; readonly length: number }> | undefined {
    const extents: Array<{ readonly offset: number; readonly length: number }> = []
    let total = 0
    for (const index of Array.from(this.#chunks.keys()).sort((a, b) => a - b)) {
      const length = this.#chunks.get(index)?.used ?? 0
      const last = extents.at(-1)
      if (last !== undefined && last.offset + last.length === index * chunkBytes) {
        extents[extents.length - 1] = { offset: last.offset, length: last.length + length }
      } else extents.push({ offset: index * chunkBytes, length })
      total += length
    }
    return total === this.size ? undefined : extents
  }

  /** Frees all bytes: the file is deleted. */
  free(): void {
    this.#volume.bytes -= this.#charged
    this.#charged = this.size = 0
    this.#change().clear()
  }

  /** Grows a chunk to `need` bytes, or as far as the volume has room beyond `from`, and returns it. */
  #reserve(index: number, from: number, need: number): Chunk {
    const chunk = this.#ownedChunk(index, this.#chunks.get(index))
    if (need <= chunk.used) return chunk
    const min = index === 0 ? 0 : minCharge
    const possible = chunk.charged + this.#volume.maxBytes - this.#volume.bytes
    const used = possible < min ? chunk.used : Math.min(need, possible)
    if (used <= Math.max(chunk.used, from)) return chunk
    if (used > chunk.bytes.length) {
      const bytes = new Uint8Array(Math.min(chunkBytes, Math.max(used, chunk.bytes.length * 2, 64)))
      bytes.set(chunk.bytes)
      chunk.bytes = bytes
    }
    chunk.used = used
    this.#charge(chunk, Math.max(used, min))
    this.#change().set(index, chunk)
    return chunk
  }

  #shrink(index: number, shared: Chunk, used: number): void {
    const chunk = this.#ownedChunk(index, shared)
    if (used === 0) {
      this.#charge(chunk, 0)
      this.#change().delete(index)
      return
    }
    chunk.bytes.fill(0, used, chunk.used)
    chunk.used = used
    this.#charge(chunk, index === 0 ? used : Math.max(used, minCharge))
  }

  #charge(chunk: Chunk, bytes: number): void {
    const more = bytes - chunk.charged
    chunk.charged = bytes
    this.#charged += more
    this.#volume.bytes += more
  }
}
