/** Pipes written input to a scripted process and keeps the first megabyte of what it reads. */
import * as Effect from "effect/Effect"
import { callbackLater } from "../../base/waits.ts"
import { ByteBuffer } from "../../base/ByteBuffer.ts"
import type { ByteWriter } from "../../shell/SpawnedProcess.ts"
import { MockPipe } from "./MockPipe.ts"

/** Maximum bytes that are kept for `MockCall.input`. */
const maxKeptBytes = 1_048_576

/** The stdin of a scripted process, open or closed from the start. */
export class MockInput {
  /** Where the input is written to; missing when it is closed. */
  readonly writer: ByteWriter | undefined
  readonly #pipe = new MockPipe()
  readonly #kept = new ByteBuffer(maxKeptBytes)

  constructor(open: boolean) {
    const pipe = this.#pipe
    if (!open) pipe.end()
    this.writer = !open ? undefined : {
      // The bytes may be in a buffer that is reused as soon as the promise resolves.
      write: (bytes) => new Promise((resolve) => void pipe.write(bytes.slice(), resolve)),
      end: () => Promise.resolve(pipe.end()),
    }
  }

  /** Reads the next bytes; `undefined` at the end. */
  readonly read: Effect.Effect<Uint8Array | undefined> = callbackLater<Uint8Array | undefined>((resume) => {
    const stop = this.#pipe.read((bytes) => {
      if (bytes !== undefined) this.#kept.push(bytes.subarray(0, maxKeptBytes - this.#kept.size))
      resume(Effect.succeed(bytes))
    })
    return Effect.sync(stop)
  })

  /** Closes the reading end; pending writes resolve with `false`. */
  release(): void {
    this.#pipe.release()
  }

  /** The text that was read, up to the first megabyte. */
  get text(): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.#kept.bytes)
  }
}
