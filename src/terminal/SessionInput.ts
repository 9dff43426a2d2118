/** Buffers typed input, bounded and in order, until the terminal takes it. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { encodeUtf8 } from "../base/bytes.ts"
import { type TerminalError, terminalError } from "./TerminalError.ts"

const pieceBytes = 4_096

/** 32 KiB; the same amount may be on its way to the terminal. */
const maxPieces = 8

const patienceMillis = 10_000

export interface SessionInput {
  /** The reader of the terminal's input. */
  readonly stream: Stream.Stream<Uint8Array>
  /** Adds bytes; waits for room at most 10 s. Calls do not mix. */
  readonly write: (data: string | Uint8Array) => Effect.Effect<void, TerminalError>
  /** Adds text if there is room at once: answers of the terminal itself. */
  readonly offer: (text: string) => void
}

export const makeSessionInput: Effect.Effect<SessionInput> = Effect.gen(function* () {
  const queue = yield* Queue.bounded<Uint8Array>(maxPieces)
  const turn = Semaphore.makeUnsafe(1)
  const writeAll = (bytes: Uint8Array): Effect.Effect<void, TerminalError> =>
    Effect.gen(function* () {
      let offset = 0
      const offerAll = Effect.gen(function* () {
        for (; offset < bytes.length; offset += pieceBytes) {
          yield* Queue.offer(queue, bytes.slice(offset, offset + pieceBytes))
        }
      })
      const isDone = yield* Effect.timeoutOption(offerAll, patienceMillis)
      if (isDone._tag === "Some") return
      const left = bytes.length - offset
      return yield* Effect.fail(
        terminalError(
          { _tag: "InputBlocked", bytes: left },
          `the program does not read its input: ${left} bytes were not accepted in ${patienceMillis / 1_000} s; ` +
            "wait for its prompt, or send Ctrl-C",
        ),
      )
    })
  return {
    stream: Stream.fromQueue(queue),
    write: (data) => turn.withPermits(1)(writeAll(typeof data === "string" ? encodeUtf8(data) : data)),
    offer: (text) => void Queue.offerUnsafe(queue, encodeUtf8(text)),
  }
})
