/** Makes a process table, which starts processes in the background and keeps outputs within its limits. */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { quote } from "../base/quote.ts"
import { completeLater } from "../base/waits.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import { encodeUtf8 } from "../base/bytes.ts"
import { type OptionError, refuseUnknownOptions, requireCounts } from "../base/OptionError.ts"
import type { ShellOutput } from "../command/ShellEvent.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { OutputLog, type OutputPage } from "./OutputLog.ts"
import { ProcessTableError } from "./ProcessTableError.ts"
import {
  outputId,
  type OutputKind,
  type ProcessOutput,
  type ProcessTableOptions,
  type ProcessTableService,
} from "./ProcessTableService.ts"

interface Item {
  readonly log: OutputLog
  changed: Deferred.Deferred<void>
  isRunning: boolean
  exitCode?: number
  ended?: string
  fault?: ShellFault
  fiber?: Fiber.Fiber<void, ShellFault>
  input?: Queue.Queue<Uint8Array, Cause.Done>
}

/** Pieces of input that wait for a process, UTF-16 units of each, and how long a write waits for a place. */
const inputPieces = 16
const maxInputLength = 1_048_576
const inputWait = Duration.seconds(5)

/** Time after which a process counts as started where its leaf does not say so. */
const startWait = Duration.seconds(1)

const wake = (item: Item): void => {
  completeLater(item.changed, Effect.void)
  item.changed = Deferred.makeUnsafe()
}

const fail = (tag: ProcessTableError["reason"]["_tag"], message: string): Effect.Effect<never, ProcessTableError> =>
  Effect.fail(new ProcessTableError({ reason: { _tag: tag }, message }))

const defaults: Readonly<Record<keyof ProcessTableOptions, number>> = {
  maxProcesses: 8,
  maxOutputs: 64,
  maxOutputLength: 1_048_576,
}

/** Makes a table whose processes end with its scope. */
export const makeProcessTable = (
  options: ProcessTableOptions,
): Effect.Effect<ProcessTableService, OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const { maxOutputLength, maxOutputs, maxProcesses } = yield* attemptOptions(() => {
      refuseUnknownOptions("ProcessTable", options, defaults)
      return requireCounts("ProcessTable", "", options, defaults)
    })
    const scope = yield* Effect.scope
    const items = new Map<string, Item>()
    const isClosed = () => scope.state._tag === "Closed"
    const tableClosed = fail(
      "Closed",
      "no process can be started: the program that manages them has ended; continue without",
    )

    const add = (kind: OutputKind, key: string): readonly [string, Item] => {
      for (const [id, { isRunning }] of items) {
        if (items.size < maxOutputs) break
        if (!isRunning) items.delete(id)
      }
      const first = outputId(kind, key)
      let id = first
      for (let count = 2; items.has(id); count++) id = `${first}-${count}`
      const item: Item = { log: new OutputLog(maxOutputLength), changed: Deferred.makeUnsafe(), isRunning: false }
      items.set(id, item)
      return [id, item]
    }

    const get = (id: string): Effect.Effect<Item, ProcessTableError> =>
      Effect.suspend(() => {
        const item = items.get(id)
        if (item !== undefined) return Effect.succeed(item)
        const ids = [...items.keys()]
        const known = ids.length === 0 ? "there are none" : `there are: ${ids.join(", ")}`
        return fail(
          "UnknownId",
          `there is no process or output ${quote(id)}: it was dropped, or never existed; ${known}`,
        )
      })

    const runningIds = (): ReadonlyArray<string> => [...items].filter(([, item]) => item.isRunning).map(([id]) => id)

    const ended = (item: Item, exit: Exit.Exit<ShellOutput | undefined, ShellFault>): void => {
      item.isRunning = false
      if (Exit.isSuccess(exit)) {
        if (exit.value?.signal !== undefined) item.ended = `ended by ${exit.value.signal}`
        if (exit.value !== undefined) item.exitCode = exit.value.exitCode
      } else {
        const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
        if (error !== undefined) item.fault = error
        item.ended = error !== undefined
          ? error.message
          : Cause.hasInterruptsOnly(exit.cause)
          ? "stopped"
          : "the shell broke"
      }
      if (item.input !== undefined) Queue.endUnsafe(item.input)
      wake(item)
    }

    const start: ProcessTableService["start"] = ({ exec, hasInput, key, shell }) =>
      // From the place in the table to the process nothing may be interrupted: the place would stay taken.
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          if (isClosed()) return yield* tableClosed
          const running = runningIds()
          if (running.length >= maxProcesses) {
            return yield* fail(
              "TooMany",
              `${running.length} processes run already; stop one of ${running.join(", ")} first`,
            )
          }
          const [id, item] = add("process", key)
          item.isRunning = true
          const started = Deferred.makeUnsafe<void>()
          const input = hasInput ? yield* Queue.bounded<Uint8Array, Cause.Done>(inputPieces) : undefined
          if (input !== undefined) item.input = input
          let last: ShellOutput | undefined
          const run = shell.exec(exec, {
            ...(input === undefined ? undefined : { stdin: Stream.fromQueue(input) }),
            // The table has a limit of its own: a server in the background must not take the place of commands.
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
                ended(item, Exit.map(exit, () => last))
                completeLater(started, Effect.void)
              })
            ),
          )
          // Interrupted before its first step, a fiber would not come to its end's handler.
          const fiber = yield* Effect.forkIn(run, scope, { uninterruptible: true })
          item.fiber = fiber
          yield* restore(Effect.timeoutOption(Deferred.await(started), startWait)).pipe(
            Effect.onInterrupt(() => Fiber.interrupt(fiber)),
          )
          if (item.fault !== undefined && item.log.end === 0) {
            items.delete(id)
            return yield* item.fault
          }
          // The table ended while the process started.
          if (item.ended === "stopped" && isClosed()) return yield* tableClosed
          return id
        })
      )

    const page = (item: Item, { omitted, position, text }: OutputPage): ProcessOutput => ({
      output: text,
      position,
      omitted,
      hasMore: position < item.log.end,
      isRunning: item.isRunning,
      ...(item.exitCode === undefined ? undefined : { exitCode: item.exitCode }),
      ...(item.ended === undefined ? undefined : { ended: item.ended }),
    })

    return {
      start,
      keep: (key, text, kind = "output") =>
        Effect.sync(() => {
          const [id, item] = add(kind, key)
          item.log.push(text)
          if (kind === "process") item.ended = "it ended with the program that started it"
          return id
        }),
      read: (id, { maxLength, position, wait }) =>
        Effect.flatMap(get(id), (item) => {
          const awaitOutput: Effect.Effect<void> = Effect.suspend(() =>
            item.isRunning && item.log.end <= position
              ? Effect.andThen(Deferred.await(item.changed), awaitOutput)
              : Effect.void
          )
          return Effect.andThen(
            Effect.timeoutOption(awaitOutput, wait),
            Effect.sync(() => page(item, item.log.read(position, maxLength))),
          )
        }),
      write: (id, text, end) =>
        Effect.flatMap(get(id), ({ input, isRunning }) => {
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
          get(id),
          ({ fiber, isRunning }) => fiber === undefined || !isRunning ? Effect.void : Fiber.interrupt(fiber),
        ),
    }
  })
