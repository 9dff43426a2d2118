/** Holds the processes and outputs of a process table by their ids. */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import { quote } from "../base/quote.ts"
import { ProcessTableError } from "./ProcessTableError.ts"
import { completeLater } from "../base/waits.ts"
import type { ShellOutput } from "../command/ShellEvent.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { OutputLog } from "./OutputLog.ts"
import { outputId, type OutputKind, type ProcessTableOptions } from "./ProcessTableService.ts"

export type ProcessTableLimits = Readonly<Record<keyof ProcessTableOptions, number>>

export interface Item {
  readonly log: OutputLog
  changed: Deferred.Deferred<void>
  isRunning: boolean
  exitCode?: number
  ended?: string
  fault?: ShellFault
  fiber?: Fiber.Fiber<void, ShellFault>
  input?: Queue.Queue<Uint8Array, Cause.Done>
}

export const wake = (item: Item): void => {
  completeLater(item.changed, Effect.void)
  item.changed = Deferred.makeUnsafe()
}

export const fail = (
  tag: ProcessTableError["reason"]["_tag"],
  message: string,
): Effect.Effect<never, ProcessTableError> => Effect.fail(new ProcessTableError({ reason: { _tag: tag }, message }))

export const recordEnd = (item: Item, exit: Exit.Exit<ShellOutput | undefined, ShellFault>): void => {
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

export class ProcessItems {
  readonly limits: ProcessTableLimits
  readonly #items = new Map<string, Item>()

  constructor(limits: ProcessTableLimits) {
    this.limits = limits
  }

  get runningIds(): ReadonlyArray<string> {
    return [...this.#items].filter(([, item]) => item.isRunning).map(([id]) => id)
  }

  /** Adds an item; if there is no room, drops the oldest ended ones. */
  add(kind: OutputKind, key: string): readonly [string, Item] {
    for (const [id, { isRunning }] of this.#items) {
      if (this.#items.size < this.limits.maxOutputs) break
      if (!isRunning) this.#items.delete(id)
    }
    const first = outputId(kind, key)
    let id = first
    for (let count = 2; this.#items.has(id); count++) id = `${first}-${count}`
    const log = new OutputLog(this.limits.maxOutputLength)
    const item: Item = { log, changed: Deferred.makeUnsafe(), isRunning: false }
    this.#items.set(id, item)
    return [id, item]
  }

  get(id: string): Effect.Effect<Item, ProcessTableError> {
    return Effect.suspend(() => {
      const item = this.#items.get(id)
      if (item !== undefined) return Effect.succeed(item)
      const ids = [...this.#items.keys()]
      const known = ids.length === 0 ? "there are none" : `there are: ${ids.join(", ")}`
      return fail("UnknownId", `there is no process or output ${quote(id)}: it was dropped, or never existed; ${known}`)
    })
  }

  delete(id: string): void {
    this.#items.delete(id)
  }
}
