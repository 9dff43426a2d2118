/** The elements that a pump emits next, and the buffers of its reads that they are views of. */
import * as Effect from "effect/Effect"
import type { OutputPipe } from "./OutputPipe.ts"
import type { Next } from "./OutputSink.ts"
import type { ByteReader } from "./SpawnedProcess.ts"

/** A read of this size shows that the pipe was full; more output is likely to follow. */
const largeReadBytes = 32_768

/** Bytes after which a batch is emitted, unless its reader has a limit of its own. */
const defaultBatchBytes = 1_048_576

export class OutputBatch<Element> {
  #elements: Array<Element> = []
  #bytes = 0
  /** Whether the elements stay valid when more is read. */
  #isKept = true
  /** Bytes in the last batch whose buffers the reader gets back at the next pull. */
  #lent: Array<{ readonly reader: ByteReader; readonly bytes: Uint8Array }> = []
  lastReadBytes = 0

  /** To append to, until the batch is taken. */
  get elements(): Array<Element> {
    return this.#elements
  }

  /** Counts a read. `copies`: its elements are no views of its bytes. */
  add(reader: ByteReader, bytes: Uint8Array, copies: boolean): void {
    this.#bytes += bytes.length
    if (copies) return
    if (bytes.length < largeReadBytes || reader.keep === undefined) {
      this.#isKept = false
      return
    }
    reader.keep()
    if (reader.recycle !== undefined) this.#lent.push({ reader, bytes })
  }

  /**
   * Whether the batch may wait for one more read. A suspension of the consumer costs as much as a read (and on Deno some
   * memory), so several large reads go into one batch.
   */
  mayGrow(pipes: ReadonlyArray<OutputPipe>): boolean {
    return this.#isKept && this.lastReadBytes >= largeReadBytes &&
      pipes.every(({ reader }) => this.#bytes < (reader.batchBytes ?? defaultBatchBytes))
  }

  /** Takes the elements, which are those of the batch, and starts the next batch. */
  take(elements: readonly [Element, ...Array<Element>]): Next<Element> {
    this.#elements = []
    this.#bytes = 0
    this.#isKept = true
    return Effect.succeed(elements)
  }

  /** Returns the buffers of the last batch to their readers. */
  recycle(): void {
    if (this.#lent.length === 0) return
    for (const { bytes, reader } of this.#lent) reader.recycle?.(bytes)
    this.#lent = []
  }
}
