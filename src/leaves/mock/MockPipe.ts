/** Transfers bytes between writers and readers inside the program, with the capacity of a Linux pipe (pipe(7)). */
import type { ByteReader } from "../../shell/SpawnedProcess.ts"

/** Maximum bytes in a pipe before its writer waits. */
export const maxPipeBytes = 65_536

type Read = (bytes: Uint8Array | undefined) => void

interface PendingWrite {
  readonly bytes: Uint8Array
  readonly done: (isTaken: boolean) => void
}

/**
 * A one-way pipe with any number of writers and readers. Each write is read separately, in pieces of at most
 * {@link maxPipeBytes}: a kernel's pipe joins writes, which would make tests depend on timing.
 */
export class MockPipe implements ByteReader {
  readonly #held: Array<Uint8Array> = []
  readonly #writers: Array<PendingWrite> = []
  #heldBytes = 0
  readonly #readers: Array<Read> = []
  #ended = false
  #released = false

  /** As {@link ByteReader.read}. Returns a function that cancels a pending read. */
  readonly read = (done: Read): () => void => {
    const bytes = this.#held.shift()
    if (bytes !== undefined) {
      this.#heldBytes -= bytes.length
      this.#admit()
      done(bytes)
    } else if (this.#ended || this.#released) {
      done(undefined)
    } else {
      this.#readers.push(done)
    }
    return () => {
      const index = this.#readers.indexOf(done)
      if (index >= 0) this.#readers.splice(index, 1)
    }
  }

  readonly release = (): void => {
    if (this.#released) return
    this.#released = true
    this.#held.length = this.#heldBytes = 0
    for (const answer of this.#readers.splice(0)) answer(undefined)
    for (const { done } of this.#writers.splice(0)) done(false)
  }

  /**
   * Writes bytes, which must not change afterwards. Calls `done` once, possibly synchronously: `true` when the pipe has taken
   * them, `false` when it is closed. Returns a function that cancels a write that still waits for room.
   */
  readonly write = (bytes: Uint8Array, done: (isTaken: boolean) => void): () => void => {
    const pieces: Array<Uint8Array> = []
    for (let at = 0; at < bytes.length; at += maxPipeBytes) pieces.push(bytes.subarray(at, at + maxPipeBytes))
    const isClosed = this.#released || this.#ended
    if (isClosed || pieces.length === 0) {
      done(!isClosed)
      return () => {}
    }
    let answered = false
    const mine = pieces.map((piece, index): PendingWrite => ({
      bytes: piece,
      // A closed pipe calls back for every piece; only the first call counts.
      done: (isTaken) => {
        if (answered || (isTaken && index < pieces.length - 1)) return
        answered = true
        done(isTaken)
      },
    }))
    this.#writers.push(...mine)
    this.#admit()
    return () => {
      answered = true
      for (const each of mine) {
        const index = this.#writers.indexOf(each)
        if (index >= 0) this.#writers.splice(index, 1)
      }
    }
  }

  /** Ends the pipe: held bytes can still be read, and pending writes are refused. */
  readonly end = (): void => {
    this.#ended = true
    for (const { done } of this.#writers.splice(0)) done(false)
    for (const answer of this.#readers.splice(0)) answer(undefined)
  }

  #admit(): void {
    for (let next = this.#writers[0]; next !== undefined; next = this.#writers[0]) {
      if (this.#heldBytes > 0 && this.#heldBytes + next.bytes.length > maxPipeBytes) return
      this.#writers.shift()
      const answer = this.#readers.shift()
      if (answer === undefined) {
        this.#held.push(next.bytes)
        this.#heldBytes += next.bytes.length
      } else {
        answer(next.bytes)
      }
      next.done(true)
    }
  }
}
