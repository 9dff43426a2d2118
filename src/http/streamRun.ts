/**
 * A run as the body of a response.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellEvent, ShellFault } from "../command/ShellFault.ts"
import type { Shell } from "../shell/Shell.ts"
import { faultOf } from "./problem.ts"

type Bytes = Uint8Array<ArrayBuffer>

/** What {@link streamRun} takes. */
export interface StreamRunOptions {
  readonly commandId: CommandId
  readonly events: Stream.Stream<ShellEvent, ShellFault, Shell>
  readonly encode: (events: ReadonlyArray<ShellEvent>) => Bytes
  readonly fork: (run: Effect.Effect<void, ShellFault, Shell>) => Fiber.Fiber<void, ShellFault>
}

/**
 * Starts a run, and waits for its first event: then its bytes are there to be read. A run that ends before it brought
 * an event has no bytes, but the exit it ended with.
 *
 * Nothing is asked of the run before the reader asks for bytes (but the first event), so a slow reader holds the
 * command. Whatever ends the run, the last event says so: its fault, a `Cancelled` when it was interrupted, an
 * `Unknown` when it broke. Cancelling the reader ends the command, and resolves when it has ended.
 */
export const streamRun = (
  { commandId, encode, events, fork }: StreamRunOptions,
): Promise<Exit.Exit<ReadableStream<Bytes>, ShellFault>> =>
  new Promise((resolve) => {
    // Open while the run may bring its next events; open at first, for the first ones.
    const demand = Latch.makeUnsafe(true)
    let begun = false
    let first: Bytes | undefined
    let cancelled = false
    let answered = (): void => {}
    let controller: ReadableStreamDefaultController<Bytes> | undefined

    const body = new ReadableStream<Bytes>({
      start: (own) => {
        controller = own
      },
      pull: (own) => {
        if (first !== undefined) {
          own.enqueue(first)
          first = undefined
          return undefined
        }
        return new Promise((resolve) => {
          answered = resolve
          demand.openUnsafe()
        })
      },
      cancel: () => {
        cancelled = true
        return Effect.runPromise(Effect.asVoid(Fiber.interrupt(fiber)))
      },
    }, { highWaterMark: 0 })

    const give = (batch: ReadonlyArray<ShellEvent>): void => {
      demand.closeUnsafe()
      if (!begun) {
        begun = true
        first = encode(batch)
        resolve(Exit.succeed(body))
      } else if (!cancelled) {
        controller?.enqueue(encode(batch))
        answered()
      }
    }

    const gated = Stream.transformPull(events, (pull) => Effect.succeed(demand.whenOpen(pull)))
    const fiber = fork(Stream.runForEachArray(gated, (batch) => Effect.sync(() => give(batch))))

    fiber.addObserver((exit) => {
      if (!begun) {
        resolve(Exit.isFailure(exit) ? Exit.failCause(exit.cause) : Exit.die(new Error("the run brought no event")))
      } else if (!cancelled) {
        // Interrupted before anybody read: what is there still goes out.
        if (first !== undefined) controller?.enqueue(first)
        if (Exit.isFailure(exit)) controller?.enqueue(encode([faultOf(commandId, exit.cause)]))
        controller?.close()
        answered()
      }
    })
  })
