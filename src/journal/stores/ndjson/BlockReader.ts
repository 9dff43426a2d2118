/** Reads parts of an open journal file into a reused buffer, as bytes and as a Latin-1 text with the same indexes. */
import { JournalError } from "../../JournalError.ts"
import type { Bytes, HostSystem } from "./HostSystem.ts"

/** A part of a file, valid until the next part is read. */
export interface Block {
  readonly bytes: Bytes
  /** The bytes, decoded as Latin-1: an index in the text is an index in the bytes. */
  readonly text: string
}

/** Maximum time in milliseconds that a long read or copy may block the event loop. */
export const maxBlockingMillis = 4

const keptBytes = 256 * 1024

export class BlockReader {
  readonly #system: HostSystem
  readonly #path: string
  #kept: Bytes | undefined

  constructor(system: HostSystem, path: string) {
    this.#system = system
    this.#path = path
  }

  /** Reads the bytes from one offset up to another. Throws `Unavailable` when the file is shorter. */
  read(descriptor: number, from: number, to: number): Block {
    const wanted = to - from
    const buffer = wanted > keptBytes ? this.#system.bytes(wanted) : (this.#kept ??= this.#system.bytes(keptBytes))
    let length = 0
    while (length < wanted) {
      const got = this.#system.files.readSync(descriptor, buffer, length, wanted - length, from + length)
      if (got === 0) {
        throw JournalError.because(
          { _tag: "Unavailable" },
          `journal: ${this.#path} was not read: it was truncated during the read`,
        )
      }
      length += got
    }
    return { bytes: buffer, text: buffer.toString("latin1", 0, length) }
  }
}
