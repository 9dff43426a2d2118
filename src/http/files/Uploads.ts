/** Keeps the resumable uploads of an app, bounded in number and age, and starts and ends their writes. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { monotonicMillis } from "../../base/monotonicTime.ts"
import { refuse } from "../problem.ts"
import type { FileHost } from "./FileHost.ts"
import type { FileRefusal } from "./refuseFileFault.ts"
import type { FileRoutesSettings } from "./FileRoutesOptions.ts"
import { goneUpload, Upload, type UploadWrite } from "./Upload.ts"

/** Time for which the result of an upload is kept for a client whose connection was lost. */
const resultMillis = 300_000

interface Kept {
  readonly upload: Upload
  readonly fiber: Fiber.Fiber<void>
}

export class Uploads {
  readonly #host: FileHost
  readonly #maxPerOwner: number
  readonly #maxAgeMillis: number
  readonly #kept = new Map<string, Kept>()

  constructor(host: FileHost, { maxUploads, uploadMaxAgeMillis }: FileRoutesSettings) {
    this.#host = host
    this.#maxPerOwner = maxUploads
    this.#maxAgeMillis = uploadMaxAgeMillis
  }

  start(owner: string, write: UploadWrite): Effect.Effect<Upload, FileRefusal> {
    return Effect.gen({ self: this }, function* () {
      const now = yield* monotonicMillis
      const kept = yield* Effect.sync(() => this.#make(owner, write, now))
      if (kept === undefined) {
        const detail = `the token has ${this.#maxPerOwner} uploads under way already: complete or cancel one`
        return yield* Effect.fail(refuse(429, "busy", detail, { headers: { "retry-after": "1" } }))
      }
      yield* Effect.onError(kept.opened, () => this.cancel(kept))
      return kept
    })
  }

  /** Makes an upload. At the maximum it replaces one of the owner that has ended. */
  #make(owner: string, write: UploadWrite, now: number): Upload | undefined {
    const own = [...this.#kept.values()].filter(({ upload }) => upload.owner === owner)
    if (own.length >= this.#maxPerOwner) {
      const ended = own.find(({ upload }) => upload.isEnded)
      if (ended === undefined) return undefined
      this.#kept.delete(ended.upload.id)
      ended.fiber.interruptUnsafe()
    }
    const upload = new Upload(owner)
    upload.lastUsed = now
    const life = Effect.andThen(
      Effect.raceFirst(upload.run(write), this.#expiry(upload)),
      Effect.sleep(Math.min(resultMillis, this.#maxAgeMillis)),
    )
    // The fiber starts before the upload is registered, and ends long afterwards.
    const fiber = this.#host.fork(Effect.ensuring(life, Effect.sync(() => this.#kept.delete(upload.id))))
    this.#kept.set(upload.id, { upload, fiber })
    return upload
  }

  find(owner: string, id: string): Effect.Effect<Upload, FileRefusal> {
    const upload = this.#kept.get(id)?.upload
    return upload !== undefined && upload.owner === owner ? Effect.succeed(upload) : Effect.fail(goneUpload)
  }

  cancel({ id }: Upload): Effect.Effect<void> {
    return Effect.suspend(() => {
      const kept = this.#kept.get(id)
      this.#kept.delete(id)
      return kept === undefined ? Effect.void : Fiber.interrupt(kept.fiber)
    })
  }

  /** Ends when no request has brought bytes for the maximum age. */
  #expiry(upload: Upload): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      for (;;) {
        const idle = upload.isBusy || upload.isComplete ? 0 : (yield* monotonicMillis) - upload.lastUsed
        if (idle >= this.#maxAgeMillis) {
          this.#kept.delete(upload.id)
          return
        }
        yield* Effect.sleep(this.#maxAgeMillis - idle)
      }
    })
  }
}
