/** Sends a stream of bytes to the stdin of a command on a server, with retries. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { emptyBytes } from "../../base/bytes.ts"
import { isTransient } from "../../client/reconnect.ts"
import type { RemoteClient } from "../../client/RemoteClient.ts"
import { type RemoteError, statusOf } from "../../client/RemoteError.ts"
import type { CommandId } from "../../command/CommandId.ts"
import type { ShellFault } from "../../command/ShellFault.ts"

const maxPieceBytes = 262_144

/** Pause before the next attempt while the server cannot be reached, or does not know the command yet. */
const retryDelay = "50 millis"

/** Whether the command takes no input: it has ended, has closed its stdin, or does not run yet. */
const isClosed = (error: RemoteError | ShellFault): boolean => {
  const status = statusOf(error)
  return error._tag === "ShellFault" || status === 404 || status === 409
}

/**
 * Sends the pieces of a stream in order, then closes the input; fails as the stream does. A piece whose answer was lost
 * is sent again with its offset. While the server cannot be reached or does not run the command yet, retries for as
 * long as the caller waits. A command that stops reading is no error, as with a pipe.
 */
export const feedInput = <E>(
  client: RemoteClient,
  id: CommandId,
  bytes: Stream.Stream<Uint8Array, E>,
): Effect.Effect<void, E | RemoteError | ShellFault> =>
  Effect.suspend(() => {
    let offset = 0
    let hasTaken = false
    const send = (piece: Uint8Array, end: boolean): Effect.Effect<boolean, RemoteError | ShellFault> =>
      client.input(id, new Uint8Array(piece), { offset, end }).pipe(
        Effect.map(() => {
          hasTaken = true
          return true
        }),
        Effect.catchIf((error) => hasTaken && isClosed(error), () => Effect.succeed(false)),
        Effect.retry({
          schedule: Schedule.spaced(retryDelay),
          while: (error) => isClosed(error) || isTransient(error),
        }),
      )
    const sendAll = (all: Uint8Array): Effect.Effect<boolean, RemoteError | ShellFault> =>
      Effect.gen(function* () {
        for (let start = 0; start < all.length; start += maxPieceBytes) {
          const piece = all.subarray(start, start + maxPieceBytes)
          if (!(yield* send(piece, false))) return false
          offset += piece.length
        }
        return true
      })
    return bytes.pipe(
      Stream.mapEffect(sendAll),
      Stream.takeWhile((takesMore) => takesMore),
      Stream.runDrain,
      Effect.andThen(Effect.suspend(() => send(emptyBytes, true))),
      Effect.asVoid,
    )
  })
