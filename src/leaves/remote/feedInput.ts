/**
 * The stdin of a command that runs on a server: sent piece by piece, as the command takes it.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CommandId } from "../../command/CommandId.ts"
import { mayPass } from "../../client/reconnecting.ts"
import type { ClientError, ShellHttpClient } from "../../client/ShellHttpClient.ts"

/** Most bytes of one request. */
const pieceBytes = 262_144

/** Milliseconds before the next try while the server cannot be reached, or does not know the command yet. */
const pauseMillis = 50

/** The command takes no more: it has ended, or closed its stdin. That is no error: so it is with a pipe. */
const isOver = (error: ClientError): boolean =>
  error._tag === "ShellFault" || error.status === 404 || error.status === 409

/**
 * Sends what a stream brings, one piece after the other, and ends the input; fails as the stream does. A piece whose
 * answer was lost is sent again: the server knows how much it has taken. While it cannot be reached, or does not run the
 * command yet, it is tried again, for as long as the caller lets it.
 */
export const feedInput = <E>(
  client: ShellHttpClient,
  id: CommandId,
  bytes: Stream.Stream<Uint8Array, E>,
): Effect.Effect<void, E | ClientError> => {
  let offset = 0
  let taken = false
  const send = (piece: Uint8Array, end: boolean): Effect.Effect<boolean, ClientError> =>
    client.input(id, new Uint8Array(piece), { offset, end }).pipe(
      Effect.map(() => taken = true),
      Effect.catch((error) =>
        isOver(error) && taken
          ? Effect.succeed(false)
          : isOver(error) || mayPass(error)
          ? Effect.andThen(Effect.sleep(pauseMillis), Effect.suspend(() => send(piece, end)))
          : Effect.fail(error)
      ),
    )
  const sendAll = (all: Uint8Array): Effect.Effect<boolean, ClientError> =>
    Effect.gen(function* () {
      for (let start = 0; start < all.length; start += pieceBytes) {
        const piece = all.subarray(start, start + pieceBytes)
        if (!(yield* send(piece, false))) return false
        offset += piece.length
      }
      return true
    })
  return bytes.pipe(
    Stream.mapEffect(sendAll),
    Stream.takeWhile((wanted) => wanted),
    Stream.runDrain,
    Effect.andThen(Effect.suspend(() => send(new Uint8Array(0), true))),
    Effect.asVoid,
  )
}
