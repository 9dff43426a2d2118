/** Buffers the events of a command, up to 4 Mi characters, while the journal is slow. */
import type * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import { Latch } from "../base/waits.ts"
import type { ComputeEvent } from "./ComputeBranch.ts"

/** Maximum characters of output that wait for the journal; beyond it the command waits. */
const maxReadAheadLength: number = 4 * 1024 * 1024

type Events = readonly [ComputeEvent, ...Array<ComputeEvent>]

const entryLength = 200

const lengthOf = (events: Events): number =>
  events.reduce((sum, event) => {
    if (event._tag !== "ShellOutputChunks") return sum + entryLength
    return event.chunks.reduce((all, { base64, content }) => all + (content ?? base64 ?? "").length, sum + entryLength)
  }, 0)

/**
 * Continues to read a stream while its reader is busy, up to {@link maxReadAheadLength} characters: a command need not
 * wait for a journal that pauses. Output that has been read is emitted at once.
 */
export const readAhead = <E>(events: Stream.Stream<ComputeEvent, E>): Stream.Stream<ComputeEvent, E> =>
  Stream.fromChannel(Channel.fromTransform((_, scope) =>
    Effect.gen(function* () {
      const pull: Pull.Pull<Events, E> = yield* Channel.toPullScoped(events.channel, scope)
      let ahead: Array<ComputeEvent> = []
      let length = 0
      let end: Exit.Exit<Events, E | Cause.Done> | undefined
      const some = new Latch()
      const room = new Latch(true)
      const read = Effect.gen(function* () {
        for (;;) {
          yield* room.await
          const exit = yield* Effect.exit(pull)
          if (Exit.isSuccess(exit)) {
            ahead.push(...exit.value)
            length += lengthOf(exit.value)
            if (length >= maxReadAheadLength) room.close()
          } else end = exit
          some.open()
          if (end !== undefined) return
        }
      })
      yield* Effect.forkIn(read, scope)
      const next: Pull.Pull<Events, E> = Effect.suspend(() => {
        const [first, ...rest] = ahead
        if (first === undefined) {
          if (end !== undefined) return end
          some.close()
          return Effect.andThen(some.await, next)
        }
        ahead = []
        length = 0
        room.open()
        return Effect.succeed([first, ...rest] as const)
      })
      return next
    })
  ))
