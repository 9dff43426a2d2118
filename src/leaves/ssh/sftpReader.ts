/** Reads an SFTP file with several requests at once, and continues after a lost connection if the file is the same. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { BackendError, type OpenedFile } from "../files/FileBackend.ts"
import { lostSessionCode } from "./SftpSession.ts"

/** A file that is open on one session. */
export interface RemoteHandle {
  readonly size: number
  readonly modified: number
  /** Reads up to a number of bytes; none at the end. */
  readonly read: (offset: number, length: number) => Effect.Effect<Uint8Array, BackendError>
}

/** Bytes of one request: every server takes 32 KiB, and OpenSSH 255 KiB. */
const blockBytes = 32_768
/** Maximum number of bytes that are requested ahead of a sequential reader. */
const maxAheadBytes = 1_048_576
/** Maximum number of connections that one read may lose. */
const maxLosses = 10

/** Reads a range with parallel requests; a short block ends it. */
const readBlocks = (handle: RemoteHandle, offset: number, length: number): Effect.Effect<Uint8Array, BackendError> =>
  length <= blockBytes ? handle.read(offset, length) : Effect.gen(function* () {
    const starts = Array.from({ length: Math.ceil(length / blockBytes) }, (_, index) => index * blockBytes)
    const blocks = yield* Effect.forEach(
      starts,
      (start) => handle.read(offset + start, Math.min(blockBytes, length - start)),
      { concurrency: 32 },
    )
    const whole = new Uint8Array(length)
    let at = 0
    for (const [index, block] of blocks.entries()) {
      whole.set(block, at)
      at += block.length
      if (block.length < Math.min(blockBytes, length - index * blockBytes)) break
    }
    return whole.subarray(0, at)
  })

/** Makes the reader of a file. `open` opens it on the current session. */
export const sftpReader = (
  open: Effect.Effect<RemoteHandle, BackendError, Scope.Scope>,
): Effect.Effect<OpenedFile, BackendError, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    let handle = yield* Effect.retry(open, { while: ({ code }) => code === lostSessionCode, times: 2 })
    const { modified, size } = handle
    let losses = 0
    const lock = yield* Semaphore.make(1)

    const reopen: Effect.Effect<void, BackendError> = Effect.gen(function* () {
      losses++
      const again = yield* Effect.retry(Scope.provide(open, scope), {
        while: ({ code }) => code === lostSessionCode,
        times: 3,
      })
      if (again.size !== size || again.modified !== modified) {
        return yield* Effect.fail(
          new BackendError("EIO", "the connection was lost, and the file was replaced meanwhile; read it again"),
        )
      }
      handle = again
    })

    const readAt = (offset: number, length: number): Effect.Effect<Uint8Array, BackendError> =>
      Effect.suspend(() => {
        const used = handle
        return Effect.catchIf(
          readBlocks(used, offset, length),
          ({ code }: BackendError) => code === lostSessionCode && losses < maxLosses,
          // Of several reads that were lost together, the first one reopens the file.
          () =>
            Effect.andThen(
              lock.withPermit(Effect.suspend(() => used === handle ? reopen : Effect.void)),
              readAt(offset, length),
            ),
        )
      })

    /** Reads that were sent ahead of the reader, in their order. */
    let ahead: Array<{ readonly offset: number; readonly fiber: Fiber.Fiber<Uint8Array, BackendError> }> = []
    let next = 0
    let depth = 0

    const drop: Effect.Effect<void> = Effect.suspend(() => {
      const dropped = ahead
      ahead = []
      return Fiber.interruptAll(dropped.map(({ fiber }) => fiber))
    })

    return {
      size,
      read: (offset, length) =>
        Effect.gen(function* () {
          const isSequential = offset === next
          const first = ahead[0]
          if (!isSequential || (first !== undefined && first.offset !== offset)) {
            yield* drop
            depth = 0
          }
          const head = ahead.shift()
          if (isSequential) depth = Math.min(Math.max(1, depth * 2), Math.floor(maxAheadBytes / Math.max(1, length)))
          let from = ahead.at(-1)?.offset ?? offset
          while (ahead.length < depth && from + length < size) {
            from += length
            const block = readAt(from, Math.min(length, size - from))
            ahead.push({ offset: from, fiber: yield* Effect.forkIn(block, scope, { startImmediately: true }) })
          }
          const bytes = head === undefined ? yield* readAt(offset, length) : yield* Fiber.join(head.fiber)
          next = offset + bytes.length
          if (bytes.length > length) return bytes.subarray(0, length)
          return bytes
        }),
    }
  })
