/** Changes the size of a terminal on an execution server, and signals its command there. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { retryTransient } from "../../base/retryTransient.ts"
import { Latch } from "../../base/waits.ts"
import { isTransient } from "../../client/reconnect.ts"
import type { RemoteClient } from "../../client/RemoteClient.ts"
import type { RemoteError } from "../../client/RemoteError.ts"
import type { CommandId } from "../../command/CommandId.ts"
import type { StartedProcess } from "../../shell/ShellService.ts"
import type { ShellFault } from "../../command/ShellFault.ts"
import type { TerminalSize } from "../../command/Terminal.ts"

const maxSignals = 16

const pauses = { minPauseMillis: 200, maxPauseMillis: 1_000 }

/**
 * Makes the controls of a command on a terminal. Requests are sent one after the other until the scope closes; of
 * several sizes only the last is sent. While the server cannot be reached, a request is retried for `timeoutMillis` and
 * then dropped; the first drop is logged. It is no error if the command has ended.
 */
export const remoteTerminal = (
  client: Pick<RemoteClient, "resize" | "signal">,
  id: CommandId,
  scope: Scope.Scope,
  timeoutMillis: number,
): Effect.Effect<Pick<StartedProcess, "kill" | "resize">> => {
  const wake = new Latch()
  const signals: Array<string> = []
  let size: TerminalSize | undefined
  let hasLogged = false
  const next = (): Effect.Effect<void, RemoteError | ShellFault> | undefined => {
    const signal = signals.shift()
    if (signal !== undefined) return client.signal(id, signal)
    let requested = size
    return requested && Effect.suspend(() => {
      requested = size ?? requested
      size = undefined
      return requested === undefined ? Effect.void : client.resize(id, requested)
    })
  }
  const onFailure = (error: RemoteError | ShellFault): Effect.Effect<void> => {
    if (hasLogged || !isTransient(error)) return Effect.void
    hasLogged = true
    return Effect.logWarning(
      `${id}: a signal or a size did not reach the server, and is not sent again: ${error.message}`,
    )
  }
  const sendNext = Effect.suspend(() => {
    const request = next()
    if (request === undefined) {
      wake.close()
      return Effect.void
    }
    return Effect.catch(retryTransient(request, { isTransient, timeoutMillis, ...pauses }), onFailure)
  })
  const send = Effect.forever(Effect.andThen(Effect.suspend(() => wake.await), sendNext))
  return Effect.as(Effect.forkIn(send, scope), {
    kill: (signal) => {
      if (signals.length < maxSignals) signals.push(signal)
      wake.open()
    },
    resize: (requested) => {
      size = requested
      wake.open()
    },
  })
}
