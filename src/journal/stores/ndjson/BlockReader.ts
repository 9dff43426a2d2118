/**
 * Reads parts of an open file as text in which an index is an offset.
 *
 * @module
 */
import { JournalError } from "../../JournalError.ts"
import type { Bytes, HostSystem } from "./HostSystem.ts"

/** A part of a file. The bytes are good until the next part is read. */
export interface Block {
  readonly bytes: Bytes
  /** The bytes, read as Latin-1. */
  readonly text: string
}

const keptBytes = 256 * 1024

/** Reads into one buffer, again and again; what is larger gets its own. */
export class BlockReader {
  readonly #system: HostSystem
  readonly #path: string
  #kept: Bytes | undefined

  constructor(system: HostSystem, path: string) {
    this.#system = system
    this.#path = path
  }

  /** The bytes from one offset to another. They must be there. */
  read(descriptor: number, from: number, to: number): Block {
    const wanted = to - from
    const buffer = wanted > keptBytes ? this.#system.bytes(wanted) : (this.#kept ??= this.#system.bytes(keptBytes))
    let length = 0
    while (length < wanted) {
      const got = this.#system.files.readSync(descriptor, buffer, length, wanted - length, from + length)
      if (got === 0) throw this.#shorter()
      length += got
    }
    return { bytes: buffer, text: buffer.toString("latin1", 0, length) }
  }

  #shorter(): JournalError {
    return JournalError.because(
      { _tag: "Unavailable" },
      `journal: ${this.#path} was not read: it became shorter meanwhile`,
    )
  }
}
