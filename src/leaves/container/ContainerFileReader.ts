/** Reads a file that is open in a file server, in blocks, and serves sequential reads from memory. */
import * as Effect from "effect/Effect"
import { concatBytes, emptyBytes } from "../../base/bytes.ts"
import type { BackendError, OpenedFile } from "../files/FileBackend.ts"
import type { FileServer } from "./FileServer.ts"

/** Bytes that are read at once while a consumer reads on. */
const blockBytes = 1_048_576

/** Bytes of a file that are in memory. */
interface Block {
  readonly offset: number
  readonly bytes: Uint8Array
  /** Whether the file ends with it. */
  readonly isEnd: boolean
}

export class ContainerFileReader implements OpenedFile {
  readonly size: number
  readonly #server: FileServer
  readonly #slot: number
  #block: Block
  /** Offset of the server's descriptor. */
  #position: number

  constructor(server: FileServer, slot: number, size: number, first: Block) {
    this.#server = server
    this.#slot = slot
    this.size = size
    this.#block = first
    this.#position = first.offset + first.bytes.length
  }

  readonly read = (offset: number, length: number): Effect.Effect<Uint8Array, BackendError> =>
    Effect.suspend(() => {
      const { bytes, isEnd, offset: from } = this.#block
      const end = from + bytes.length
      const known = offset >= from && offset <= end ? bytes.subarray(offset - from, offset - from + length) : emptyBytes
      if (known.length === length || (isEnd && offset >= from)) return Effect.succeed(known)
      const next = offset + known.length
      return Effect.map(this.#load(next, length - known.length), (more) =>
        known.length === 0 ? more : concatBytes([known, more]))
    })

  /** Reads a block from an offset, and gives its first bytes. */
  #load(offset: number, length: number): Effect.Effect<Uint8Array, BackendError> {
    const isNext = offset === this.#position
    // Random access: read no further than asked.
    const count = isNext ? Math.max(length, blockBytes) : length
    const call = { name: "read" as const, words: [this.#slot, isNext ? 0 : 1, isNext ? 0 : offset, count] }
    return Effect.map(this.#server.call(call), ({ bytes }) => {
      this.#position = offset + bytes.length
      this.#block = { offset, bytes, isEnd: bytes.length < count }
      return bytes.subarray(0, length)
    })
  }
}
