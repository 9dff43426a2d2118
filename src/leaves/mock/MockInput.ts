/** Pipes written input to a scripted process and keeps the first megabyte of what it reads. */
import * as Effect from "effect/Effect"
import { callbackLater } from "../../base/waits.ts"
import { ByteBuffer } from "../../base/ByteBuffer.ts"
import type { ByteWriter } from "../../shell/SpawnedProcess.ts"
import { MockPipe } from "./MockPipe.ts"

const maxKeptBytes = 1_048_576

export class MockInput {
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

  get text(): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.#kept.bytes)
  }
}
