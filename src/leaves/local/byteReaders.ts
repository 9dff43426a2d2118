/**
 * Adapts Web byte streams (with reused buffers), other Web streams and Node's streams to byte readers.
 *
 * @module
 */
import type { ByteReader } from "../../shell/SpawnedProcess.ts"

const bufferBytes = 65_536
const maxSpareBuffers = 16

/** Buffers of ended commands for reuse: zeroing 64 KiB is expensive for a command that writes nothing. */
const spareBuffers: Array<ArrayBuffer> = []

/** Reads a byte stream repeatedly into one buffer (the fastest way on Deno, with constant memory). */
export const byobReader = (stream: ReadableStream<Uint8Array<ArrayBuffer>>): ByteReader => {
  const reader = stream.getReader({ mode: "byob" })
  let buffer: ArrayBuffer | undefined = spareBuffers.pop() ?? new ArrayBuffer(bufferBytes)
  const keep = (returned: ArrayBuffer | undefined): void => {
    buffer = undefined
    if (returned?.byteLength === bufferBytes && spareBuffers.length < maxSpareBuffers) spareBuffers.push(returned)
  }
  return {
    read: (done) => {
      const into = buffer ?? new ArrayBuffer(bufferBytes)
      buffer = undefined
      reader.read(new Uint8Array(into)).then(
        (result) => {
          if (result.done || result.value.length === 0) {
            keep(result.value?.buffer)
            done(undefined)
          } else {
            buffer = result.value.buffer
            done(result.value)
          }
        },
        () => done(undefined),
      )
    },
    release: () => {
      keep(buffer)
      reader.cancel().catch(() => {})
    },
  }
}

/** Reads a web stream chunk by chunk. */
export const webReader = (stream: ReadableStream<Uint8Array>): ByteReader => {
  const reader = stream.getReader()
  return {
    read: (done) => {
      reader.read().then((result) => done(result.done ? undefined : result.value), () => done(undefined))
    },
    release: () => {
      reader.cancel().catch(() => {})
    },
  }
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
  stream.on("readable", () => {
    if (waiting === undefined) return
    const bytes = stream.read()
    if (bytes instanceof Uint8Array) settle(bytes)
  })
  stream.on("end", finish)
  stream.on("close", finish)
  stream.on("error", finish)
  return {
    read: (done) => {
      if (ended) return done(undefined)
      const bytes = stream.read()
      if (bytes instanceof Uint8Array) return done(bytes)
      waiting = done
    },
    release: () => {
      stream.destroy()
      finish()
    },
  }
}
