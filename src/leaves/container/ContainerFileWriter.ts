/** Writes to a file that a server has open, in blocks. */
import * as Effect from "effect/Effect"
import { concatBytes } from "../../base/bytes.ts"
import type { BackendError } from "../files/FileBackend.ts"
import type { FileServer } from "./FileServer.ts"

/** Bytes of one call. */
const blockBytes = 1_048_576

export class ContainerFileWriter {
  readonly #server: FileServer
  readonly #slot: number
  #pieces: Array<Uint8Array> = []
  #bytes = 0

  constructor(server: FileServer, slot: number) {
    this.#server = server
    this.#slot = slot
  }

  /** Takes bytes, which are copied; sends them when there are many. */
  readonly write = (bytes: Uint8Array): Effect.Effect<void, BackendError> =>
    Effect.gen({ self: this }, function* () {
      for (let at = 0; at < bytes.length;) {
        const piece = bytes.slice(at, at + blockBytes - this.#bytes)
        this.#pieces.push(piece)
        this.#bytes += piece.length
        at += piece.length
        if (this.#bytes === blockBytes) yield* this.send
      }
    })

  /** Sends the buffered bytes; waits until they are in the file. */
  readonly send: Effect.Effect<void, BackendError> = Effect.suspend(() => {
    const body = concatBytes(this.#pieces)
    this.#pieces = []
    this.#bytes = 0
    return body.length === 0
      ? Effect.void
      : Effect.asVoid(this.#server.call({ name: "write", words: [this.#slot, body.length] }, body))
  })
}
