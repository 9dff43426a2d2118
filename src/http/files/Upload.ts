/**
 * Implements one resumable upload: a write that stays open across requests, each of which carries a part of its bytes.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { monotonicMillis } from "../../base/monotonicTime.ts"
import { runFork } from "../../base/stderrLogs.ts"
import { callbackLater, completeLater } from "../../base/waits.ts"
import { RendezvousPipe } from "../../shell/RendezvousPipe.ts"
import { refuse } from "../problem.ts"
import type { FileRefusal } from "./refuseFileFault.ts"
import type { WriteResult } from "./writeHandlers.ts"

export type UploadWrite = (content: Stream.Stream<Uint8Array, never>) => Effect.Effect<WriteResult, FileRefusal>

const superseded: FileRefusal = refuse(409, "conflict", "another request continued the upload")

/** The refusal of an upload that has ended without a result. */
export const goneUpload: FileRefusal = refuse(404, "unknown-upload", "the upload does not exist; it may have expired")

/** A resumable upload. Its file is staged by the file system, so that nothing of it is visible before its end. */
export class Upload {
  readonly id: string = crypto.randomUUID()
  readonly owner: string
  /** Total bytes of the upload, once a request has declared it. */
  length: number | undefined
  lastUsed = 0
  readonly #pipe = new RendezvousPipe()
  readonly #opened = Deferred.makeUnsafe<void>()
  readonly #ended = Deferred.makeUnsafe<WriteResult, FileRefusal>()
  #offset = 0
  #isComplete = false
  #turn = 0
  #isEnded = false
  #part: Fiber.Fiber<void, FileRefusal> | undefined

  constructor(owner: string) {
    this.owner = owner
  }

  get offset(): number {
    return this.#offset
  }

  /** Whether all bytes were sent. The write may still be running. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  get isBusy(): boolean {
    return this.#part !== undefined
  }

  get ended(): Effect.Effect<WriteResult, FileRefusal> {
    return Deferred.await(this.#ended)
  }

  /** Writes the bytes of the requests until the upload ends. */
  run(write: UploadWrite): Effect.Effect<void> {
    const opened = Stream.fromEffectDrain(Effect.sync(() => completeLater(this.#opened, Effect.void)))
    return Effect.onExit(write(Stream.concat(opened, this.#pipe.stream)), (exit) => {
      this.#isEnded = true
      this.#pipe.close()
      return Effect.sync(() => completeLater(this.#ended, Exit.hasInterrupts(exit) ? Effect.fail(goneUpload) : exit))
    }).pipe(Effect.ignoreCause)
  }

  /** Waits until the file system takes bytes, or refuses the write. */
  get opened(): Effect.Effect<void, FileRefusal> {
    return Effect.raceFirst(Deferred.await(this.#opened), Effect.asVoid(this.ended))
  }

  /**
   * Ends the request that is sending bytes now, whose connection may be lost, and waits until its last bytes are
   * counted.
   */
  get interruptPart(): Effect.Effect<void> {
    return Effect.whileLoop({
      while: () => this.#part !== undefined,
      body: () => this.#part === undefined ? Effect.void : Fiber.interrupt(this.#part),
      step: () => {},
    })
  }

  /** Writes a part after the end of an older request's part. A newer request ends this one. */
  append(
    offset: number,
    part: Stream.Stream<Uint8Array, FileRefusal>,
    isLast: boolean,
  ): Effect.Effect<void, FileRefusal> {
    const written = Effect.andThen(
      Stream.runForEach(part, (bytes) => this.#write(bytes)),
      Effect.sync(() => {
        if (isLast && (this.length ?? this.#offset) === this.#offset) this.#isComplete = true
      }),
    )
    return Effect.gen({ self: this }, function* () {
      const turn = ++this.#turn
      yield* this.interruptPart
      // Checks and starts in one step, so that no other request comes between.
      const fiber = yield* Effect.sync(() => {
        if (turn !== this.#turn || this.#part !== undefined || this.#isComplete || offset !== this.#offset) {
          return undefined
        }
        return this.#part = runFork(written)
      })
      if (fiber === undefined) return yield* Effect.fail(superseded)
      const exit = yield* Effect.onInterrupt(Fiber.await(fiber), () => Fiber.interrupt(fiber)).pipe(
        Effect.ensuring(this.#leave(fiber)),
      )
      if (Exit.isSuccess(exit)) return
      return yield* Exit.hasInterrupts(exit) ? Effect.fail(superseded) : exit
    })
  }

  /** Ends the content of a complete upload; succeeds when the file is visible. */
  get complete(): Effect.Effect<WriteResult, FileRefusal> {
    return Effect.andThen(Effect.promise(() => this.#pipe.end()), this.ended)
  }

  #leave(fiber: Fiber.Fiber<void, FileRefusal>): Effect.Effect<void> {
    return Effect.map(monotonicMillis, (now) => {
      this.lastUsed = now
      if (this.#part === fiber) this.#part = undefined
    })
  }

  #write(bytes: Uint8Array): Effect.Effect<void, FileRefusal> {
    const wrote = callbackLater<boolean>((resume) => {
      const settled = this.#pipe.write(bytes).then((isTaken) => {
        if (isTaken) this.#offset += bytes.length
        resume(Effect.succeed(isTaken))
      })
      // Bytes that the file system has taken are counted, even if the request has ended.
      return Effect.promise(() => {
        this.#pipe.withdraw()
        return settled
      })
    })
    return Effect.flatMap(wrote, (isTaken) => isTaken ? Effect.void : Effect.asVoid(this.ended))
  }
}
