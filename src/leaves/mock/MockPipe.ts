/**
 * A pipe inside the program, as large as those of Linux.
 *
 * Source: pipe(7), "Pipe capacity".
 *
 * @module
 */
import type { ByteReader } from "../../shell/SpawnedProcess.ts"

/** Bytes that a pipe holds before its writer has to wait. */
export const pipeBytes = 65_536

type Read = (bytes: Uint8Array | undefined) => void

interface Waiting {
  readonly bytes: Uint8Array
  readonly done: (wanted: boolean) => void
}

/**
 * One direction, any number of writers and readers. What is written at once is read at once, in pieces of at most
 * {@link pipeBytes}: a pipe of a kernel would join what is in it, and tests would depend on who was faster.
 */
export class MockPipe implements ByteReader {
  readonly #held: Array<Uint8Array> = []
  readonly #writers: Array<Waiting> = []
  #heldBytes = 0
  readonly #readers: Array<Read> = []
  #ended = false
  #released = false

  /** As {@link ByteReader.read}; what comes back takes a read back that has not been answered. */
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
   * Writes bytes that stay as they are. `done` is called once, perhaps at once: `true` when the pipe has taken them,
   * `false` when nobody reads any more. What comes back takes a write back that still waits for room.
   */
  readonly write = (bytes: Uint8Array, done: (wanted: boolean) => void): () => void => {
    const pieces: Array<Uint8Array> = []
    for (let at = 0; at < bytes.length; at += pipeBytes) pieces.push(bytes.subarray(at, at + pipeBytes))
    const gone = this.#released || this.#ended
    if (gone || pieces.length === 0) {
      done(!gone)
      return () => {}
    }
    let answered = false
    const mine = pieces.map((piece, index): Waiting => ({
      bytes: piece,
      // A pipe that goes away tells all the pieces: the first answer counts.
      done: (wanted) => {
        if (answered || (wanted && index < pieces.length - 1)) return
        answered = true
        done(wanted)
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

  /** Nobody writes any more: what is held can still be read. Those who wait for room are told that it is over. */
  readonly end = (): void => {
    this.#ended = true
    for (const { done } of this.#writers.splice(0)) done(false)
    for (const answer of this.#readers.splice(0)) answer(undefined)
  }

  #admit(): void {
    for (let next = this.#writers[0]; next !== undefined; next = this.#writers[0]) {
      if (this.#heldBytes > 0 && this.#heldBytes + next.bytes.length > pipeBytes) return
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
