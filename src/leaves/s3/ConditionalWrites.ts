/** Keeps two writers of one object apart with conditional writes, or with locks in this leaf. */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { temporaryName } from "../../files/temporaryName.ts"
import { emptyBytes } from "../../base/bytes.ts"
import { S3Failure } from "./S3Failure.ts"
import type { S3Objects, WriteCondition } from "./S3Objects.ts"

export interface ConditionalWrites {
  /**
   * Runs a write that is given its condition. Where the service has no conditional writes, the condition is checked before, and
   * no other write of this leaf to the same key runs meanwhile.
   */
  readonly run: (
    key: string,
    condition: WriteCondition,
    write: (condition: WriteCondition | undefined) => Effect.Effect<void, S3Failure>,
  ) => Effect.Effect<void, S3Failure>
  /** Fails early if the service has no conditional writes and the caller did not accept that. */
  readonly check: Effect.Effect<void, S3Failure>
}

/** A lock for each key that is being written, kept as long as it is held or awaited. */
class KeyLocks {
  readonly #locks = new Map<string, { readonly lock: Semaphore.Semaphore; users: number }>()

  readonly withLock = <A, E, R>(key: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const held = this.#locks.get(key) ?? { lock: Semaphore.makeUnsafe(1), users: 0 }
      held.users++
      this.#locks.set(key, held)
      return Effect.ensuring(
        Semaphore.withPermit(held.lock, effect),
        Effect.sync(() => {
          if (--held.users === 0) this.#locks.delete(key)
        }),
      )
    })
}

const refused = (): S3Failure =>
  new S3Failure({
    code: "NotImplemented",
    problem:
      "the service ignores If-None-Match and If-Match, so two writers could both succeed in creating the file; pass " +
      "conditionalWrites: false if all writers share this leaf, or use CreateOrReplace",
  })

const failed = (): S3Failure =>
  new S3Failure({ problem: "the condition of the write is not met", status: 412, code: "PreconditionFailed" })

const refusesWrite = (write: Effect.Effect<void, S3Failure>): Effect.Effect<boolean, S3Failure> =>
  Effect.matchEffect(write, {
    onSuccess: () => Effect.succeed(false),
    onFailure: (failure) =>
      failure.status === 412
        ? Effect.succeed(true)
        : failure.status === 501 || failure.status === 400
        ? Effect.succeed(false)
        : Effect.fail(failure),
  })

const probeSupport = (objects: S3Objects, rootKey: string): Effect.Effect<boolean, S3Failure> =>
  Effect.scoped(Effect.gen(function* () {
    const key = `${rootKey}${yield* temporaryName}`
    const put = (condition?: WriteCondition) => objects.put(key, emptyBytes, { condition })
    yield* Effect.acquireRelease(put(), () => Effect.ignore(objects.remove(key)))
    return (yield* refusesWrite(put({ _tag: "Absent" }))) &&
      (yield* refusesWrite(put({ _tag: "Unchanged", etag: '"00000000000000000000000000000000"' })))
  }))

/** Makes the writes of a leaf. `supported`: whether the service supports conditional writes; `undefined` tries it once. */
export const makeConditionalWrites = (
  objects: S3Objects,
  rootKey: string,
  supported: boolean | undefined,
): ConditionalWrites => {
  const locks = new KeyLocks()
  const one = Semaphore.makeUnsafe(1)
  let known = supported

  const isSupported = Semaphore.withPermit(
    one,
    Effect.suspend(() =>
      known === undefined
        ? Effect.tap(probeSupport(objects, rootKey), (found) => Effect.sync(() => (known = found)))
        : Effect.succeed(known)
    ),
  )

  /** Succeeds with whether the service has conditional writes. */
  const requireSupport = Effect.flatMap(
    isSupported,
    (has) => !has && supported === undefined ? Effect.fail(refused()) : Effect.succeed(has),
  )

  return {
    check: Effect.asVoid(requireSupport),
    run: (key, condition, write) =>
      Effect.flatMap(requireSupport, (has) =>
        has ? write(condition) : locks.withLock(
          key,
          Effect.flatMap(objects.head(key), (head) => {
            const holds = condition._tag === "Absent" ? head === undefined : head?.etag === condition.etag
            return holds ? write(undefined) : Effect.fail(failed())
          }),
        )),
  }
}
