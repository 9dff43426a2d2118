/** Adapts Web byte streams (with reused buffers), other Web streams and Node's streams to byte readers. */
import type { ByteReader } from "../../shell/SpawnedProcess.ts"

const bufferBytes = 65_536
const maxSpareBuffers = 16

/** Size of the first buffer: many commands write little, and a waiting command holds two buffers all the time. */
const firstBufferBytes = 4_096

/** Buffers of ended commands for reuse, by size: the allocation costs 4 µs for 4 KiB, and zeroing 64 KiB more. */
const spareBuffers: ReadonlyMap<number, Array<ArrayBuffer>> = new Map([[firstBufferBytes, []], [bufferBytes, []]])

const takeBuffer = (size: number): ArrayBuffer => spareBuffers.get(size)?.pop() ?? new ArrayBuffer(size)

const giveBuffer = (buffer: ArrayBufferLike | undefined): void => {
  if (!(buffer instanceof ArrayBuffer)) return
  const spare = spareBuffers.get(buffer.byteLength)
  if (spare !== undefined && spare.length < maxSpareBuffers) spare.push(buffer)
}

/**
 * Reads a byte stream repeatedly into one buffer (the fastest way on Deno, with constant memory), which becomes large when
 * the output fills the first one.
 */
export const byobReader = (stream: ReadableStream<Uint8Array<ArrayBuffer>>): ByteReader => {
  const reader = stream.getReader({ mode: "byob" })
  let buffer: ArrayBuffer | undefined
  let size = firstBufferBytes
  return {
    read: (done) => {
      // A consumer that has transferred the bytes has left an empty buffer.
      const into = buffer === undefined || buffer.byteLength === 0 ? takeBuffer(size) : buffer
      buffer = undefined
      reader.read(new Uint8Array(into)).then(
        (result) => {
          if (result.done || result.value.length === 0) {
            giveBuffer(result.value?.buffer)
            done(undefined)
          } else {
            // The bytes stay valid until the next read, which takes a large buffer if this one was filled.
            if (result.value.length < size || size === bufferBytes) buffer = result.value.buffer
            else size = bufferBytes
            done(result.value)
          }
        },
        () => done(undefined),
      )
    },
    keep: () => {
      buffer = undefined
    },
    recycle: (bytes) => giveBuffer(bytes.buffer),
    release: () => {
      // Not reused for other commands: a consumer that has stopped pulling may hold the last bytes.
      buffer = undefined
      reader.cancel().catch(() => {})
    },
  }
}

/** Smaller buffers are left to the garbage collector. */
const minFreedBytes = 32_768

/**
 * Frees the memory of a whole buffer. Bun and Node collect large buffers late: each read gets new pages from the
 * system, and on Node the collections take longer than the reads. Freed memory is reused at once.
 */
const free = ({ buffer, length }: Uint8Array): void => {
  if (length >= minFreedBytes && buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}

/** Reads chunks that each have a new buffer. A large buffer is freed at the next read unless it is kept. */
const freshReader = (read: ByteReader["read"], close: () => void): ByteReader => {
  let last: Uint8Array | undefined
  return {
    read: (done) => {
      if (last !== undefined) free(last)
      last = undefined
      read((bytes) => {
        last = bytes
        done(bytes)
      })
    },
    keep: () => {
      last = undefined
    },
    recycle: free,
    // A suspension is cheap on Bun, and freed memory that is used again soon is still in the processor's cache.
    batchBytes: 262_144,
    release: () => {
      // Not freed: a consumer that has stopped pulling may hold the last bytes.
      last = undefined
      close()
    },
  }
}

/** Reads a web stream, whose only reader this is, chunk by chunk. */
export const webReader = (stream: ReadableStream<Uint8Array>): ByteReader => {
  const reader = stream.getReader()
  return freshReader(
    (done) => void reader.read().then(({ value }) => done(value), () => done(undefined)),
    () => void reader.cancel().catch(() => {}),
  )
}

/** The part of Node's `Readable` that is used. */
export interface NodeReadable {
  readonly read: () => unknown
  readonly on: (event: "readable" | "end" | "close" | "error", listener: () => void) => unknown
  readonly destroy: () => unknown
}

/** Reads a Node stream in paused mode: at most one buffer is read ahead. */
export const nodeReader = (stream: NodeReadable): ByteReader => {
  let waiting: ((bytes: Uint8Array | undefined) => void) | undefined
  let ended = false
  const settle = (bytes: Uint8Array | undefined): void => {
    const done = waiting
    waiting = undefined
    done?.(bytes)
  }
  const finish = (): void => {
    ended = true
    settle(undefined)
  }
  /** Not as a Buffer, whose `slice` is no copy: it would be freed with the next read. */
  const take = (): Uint8Array | undefined => {
    const bytes = stream.read()
    return bytes instanceof Uint8Array ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : undefined
  }
  stream.on("readable", () => {
    const bytes = waiting === undefined ? undefined : take()
    if (bytes !== undefined) settle(bytes)
  })
  stream.on("end", finish)
  stream.on("close", finish)
  stream.on("error", finish)
  return freshReader((done) => {
    if (ended) return done(undefined)
    const bytes = take()
    if (bytes !== undefined) return done(bytes)
    waiting = done
  }, () => {
    stream.destroy()
    finish()
  })
}
