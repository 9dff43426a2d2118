/** Changes the size of a terminal on an execution server, and signals its command there. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { Latch } from "../../base/waits.ts"
import { isTransient } from "../../client/reconnect.ts"
import type { RemoteClient } from "../../client/RemoteClient.ts"
import type { CommandId } from "../../command/CommandId.ts"
import type { StartedProcess } from "../../shell/ShellService.ts"
import type { TerminalSize } from "../../command/Terminal.ts"

const maxSignals = 16

/**
 * Makes the controls of a command on a terminal. Requests are sent one after the other until the scope closes; of several
 * sizes only the last is sent. A command that has ended takes neither, which is no error.
 */
export const remoteTerminal = (
  client: RemoteClient,
  id: CommandId,
  scope: Scope.Scope,
): Effect.Effect<Pick<StartedProcess, "kill" | "resize">> => {
  const wake = new Latch()
  const signals: Array<string> = []
  let size: TerminalSize | undefined
  const sendNext = Effect.suspend(() => {
    const signal = signals.shift()
    if (signal !== undefined) return client.signal(id, signal)
    const requested = size
    size = undefined
    if (requested !== undefined) return client.resize(id, requested)
    wake.close()
    return Effect.void
  }).pipe(
    Effect.retry({ schedule: Schedule.spaced("200 millis"), while: isTransient }),
    Effect.ignore,
  )
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
