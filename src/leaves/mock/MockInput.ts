/**
 * The stdin of a scripted process, and what it has read of it.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { ByteWriter } from "../../shell/SpawnedProcess.ts"
import { MockPipe } from "./MockPipe.ts"

/** Bytes that are kept for whoever looks at the call. */
const keptBytes = 1_048_576

/** A stdin that is open, or one that is closed from the start. */
export class MockInput {
  /** Where the input is written to; missing when it is closed. */
  readonly writer: ByteWriter | undefined
  readonly #pipe = new MockPipe()
  readonly #heard: Array<Uint8Array> = []
  #heardBytes = 0

  constructor(open: boolean) {
    const pipe = this.#pipe
    if (!open) pipe.end()
    this.writer = !open ? undefined : {
      // The bytes may lie in a buffer that is used again as soon as this is answered.
      write: (bytes) => new Promise((resolve) => void pipe.write(bytes.slice(), resolve)),
      end: () => Promise.resolve(pipe.end()),
    }
  }

  /** The next bytes; `undefined` at the end. */
  readonly read: Effect.Effect<Uint8Array | undefined> = Effect.callback<Uint8Array | undefined>((resume) => {
    const stop = this.#pipe.read((bytes) => {
      if (bytes !== undefined) this.#hear(bytes)
      resume(Effect.succeed(bytes))
    })
    return Effect.sync(stop)
  })

  /** Nobody reads any more: who writes is told so. */
  release(): void {
    this.#pipe.release()
  }

  /** What was read, as text: the first megabyte. */
  get heard(): string {
    const all = new Uint8Array(this.#heardBytes)
    let at = 0
    for (const bytes of this.#heard) {
      all.set(bytes, at)
      at += bytes.length
    }
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(all)
  }

  #hear(bytes: Uint8Array): void {
    const kept = bytes.subarray(0, keptBytes - this.#heardBytes)
    if (kept.length === 0) return
    this.#heard.push(kept)
    this.#heardBytes += kept.length
  }
}
