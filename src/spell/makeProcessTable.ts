/** Makes a process table, which starts processes in the background and keeps outputs within its limits. */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { attemptOptions } from "../base/attemptOptions.ts"
import { encodeUtf8 } from "../base/bytes.ts"
import { type OptionError, refuseUnknownOptions, requireCounts } from "../base/OptionError.ts"
import type { OutputPage } from "./OutputLog.ts"
import { fail, type Item, ProcessItems, type ProcessTableLimits } from "./ProcessItems.ts"
import type { ProcessOutput, ProcessTableOptions, ProcessTableService } from "./ProcessTableService.ts"
import { startProcess } from "./startProcess.ts"

/** Maximum UTF-16 units of a piece of input, and time that a write waits for a place. */
const maxInputLength = 1_048_576
const inputWait = Duration.seconds(5)

const defaults: ProcessTableLimits = {
  maxProcesses: 8,
  maxOutputs: 64,
  maxOutputLength: 1_048_576,
}

const pageOf = (item: Item, { omitted, position, text }: OutputPage): ProcessOutput => ({
  output: text,
  position,
  omitted,
  hasMore: position < item.log.end,
  isRunning: item.isRunning,
  ...(item.exitCode === undefined ? undefined : { exitCode: item.exitCode }),
  ...(item.ended === undefined ? undefined : { ended: item.ended }),
})

/** Makes a table whose processes end with its scope. */
export const makeProcessTable = (
  options: ProcessTableOptions,
): Effect.Effect<ProcessTableService, OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const limits = yield* attemptOptions(() => {
      refuseUnknownOptions("ProcessTable", options, defaults)
      return requireCounts("ProcessTable", "", options, defaults)
    })
    const scope = yield* Effect.scope
    const items = new ProcessItems(limits)
    return {
      start: (process) => startProcess(items, scope, process),
      keep: (key, text, kind = "output") =>
        Effect.sync(() => {
          const [id, item] = items.add(kind, key)
          item.log.push(text)
          if (kind === "process") item.ended = "it ended with the program that started it"
          return id
        }),
      read: (id, { maxLength, position, wait }) =>
        Effect.flatMap(items.get(id), (item) => {
          const awaitOutput: Effect.Effect<void> = Effect.suspend(() =>
            item.isRunning && item.log.end <= position
              ? Effect.andThen(Deferred.await(item.changed), awaitOutput)
              : Effect.void
          )
          return Effect.andThen(
            Effect.timeoutOption(awaitOutput, wait),
            Effect.sync(() => pageOf(item, item.log.read(position, maxLength))),
          )
        }),
      write: (id, text, end) =>
        Effect.flatMap(items.get(id), ({ input, isRunning }) => {
          if (!isRunning) return fail("NoInput", `${id} has ended; read its output`)
          if (input === undefined) return fail("NoInput", `${id} has no input; start it with input: true`)
          if (text.length > maxInputLength) {
            return fail("InputFull", `the text has more than ${maxInputLength} characters; write it in parts`)
          }
          const closed = () => fail("NoInput", `the input of ${id} is closed already`)
          const offer = text === "" ? Effect.succeed(true) : Queue.offer(input, encodeUtf8(text))
          const full = () => fail("InputFull", `${id} does not read its input now; read its output, and try again`)
          return offer.pipe(
            Effect.timeoutOrElse({ duration: inputWait, orElse: full }),
            Effect.flatMap((isTaken) => isTaken ? end ? Queue.end(input) : Effect.void : closed()),
            Effect.asVoid,
          )
        }),
      stop: (id) =>
        Effect.flatMap(
          items.get(id),
          ({ fiber, isRunning }) => fiber === undefined || !isRunning ? Effect.void : Fiber.interrupt(fiber),
        ),
    }
  })
