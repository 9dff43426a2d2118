/** Starts a process of a process table, which runs in the background until it ends or the table does. */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { completeLater } from "../base/waits.ts"
import type { ShellOutput } from "../command/ShellEvent.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { fail, type ProcessItems, recordEnd, wake } from "./ProcessItems.ts"
import type { ProcessTableError } from "./ProcessTableError.ts"
import type { ProcessTableService } from "./ProcessTableService.ts"

/** Maximum number of pieces of input that wait for a process. */
const inputPieces = 16

/** Time after which a process counts as started if its leaf does not report the start. */
const startWait = Duration.seconds(1)

const isClosed = ({ state }: Scope.Scope): boolean => state._tag === "Closed"

const tableClosed = fail(
  "Closed",
  "no process can be started: the program that manages them has ended; continue without",
)

export const startProcess = (
  items: ProcessItems,
  scope: Scope.Scope,
  { exec, hasInput, key, shell }: Parameters<ProcessTableService["start"]>[0],
): Effect.Effect<string, ProcessTableError | ShellFault> =>
  // No interruption may come between reserving the place in the table and starting the process: the place would stay
  // taken.
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      if (isClosed(scope)) return yield* tableClosed
      const running = items.runningIds
      if (running.length >= items.limits.maxProcesses) {
        return yield* fail(
          "TooMany",
          `${running.length} processes run already; stop one of ${running.join(", ")} first`,
        )
      }
      const [id, item] = items.add("process", key)
      item.isRunning = true
      const started = Deferred.makeUnsafe<void>()
      const input = hasInput ? yield* Queue.bounded<Uint8Array, Cause.Done>(inputPieces) : undefined
      if (input !== undefined) item.input = input
      let last: ShellOutput | undefined
      const run = shell.exec(exec, {
        ...(input === undefined ? undefined : { stdin: Stream.fromQueue(input) }),
        // The table has its own limit, so that a server in the background takes no slot of other commands.
        admission: false,
        onSpawn: () => completeLater(started, Effect.void),
      }).pipe(
        Stream.runForEach((event) =>
          Effect.sync(() => {
            if (event._tag === "ShellOutput") last = event
            else item.log.push(event.content)
            completeLater(started, Effect.void)
            wake(item)
          })
        ),
        Effect.interruptible,
        Effect.onExit((exit) =>
          Effect.sync(() => {
            recordEnd(item, Exit.map(exit, () => last))
            completeLater(started, Effect.void)
          })
        ),
      )
      // A fiber that is interrupted before its first step would not run its finalizer.
      const fiber = yield* Effect.forkIn(run, scope, { uninterruptible: true })
      item.fiber = fiber
      yield* restore(Effect.timeoutOption(Deferred.await(started), startWait)).pipe(
        Effect.onInterrupt(() => Fiber.interrupt(fiber)),
      )
      if (item.fault !== undefined && item.log.end === 0) {
        items.delete(id)
        return yield* item.fault
      }
      // The table was closed while the process started.
      if (item.ended === "stopped" && isClosed(scope)) return yield* tableClosed
      return id
    })
  )
