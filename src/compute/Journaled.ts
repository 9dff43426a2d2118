/**
 * A shell whose every command is in the journal.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ownLease } from "../branch/BranchEntry.ts"
import { eventDraft, requestDraft } from "../branch/declare.ts"
import { currentHost, type HostIdentity } from "../branch/HostIdentity.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/ShellFault.ts"
import { isPassing } from "../branch/LeaseHolder.ts"
import type { Draft, Position } from "../journal/Entry.ts"
import { type AppendCondition, Journal, type JournalService } from "../journal/JournalService.ts"
import type { Durability } from "../journal/JournalStore.ts"
import type * as Redactor from "../journal/redaction/Redactor.ts"
import { Shell } from "../shell/Shell.ts"
import type { ShellBytes, ShellService } from "../shell/ShellService.ts"
import { Compute, type ComputeEvent } from "./Compute.ts"
import { journalFault } from "./journalFault.ts"
import { redactExec, redactionFor } from "./redaction.ts"
import { appendAgain } from "./appendAgain.ts"
import { executionOf } from "./executionOf.ts"
import { RunRecorder, type RunRedaction } from "./RunRecorder.ts"

/** How commands are journaled. */
export interface JournaledOptions {
  /** When an entry counts as written. Default: the journal's. */
  readonly durability?: Durability | undefined
  /**
   * What must not be stored, beside the command's own secrets: those never are, neither in its arguments, environment and
   * input nor in its output. It is not applied to what the caller gets. Default: nothing.
   */
  readonly redactor?: Redactor.Redactor | undefined
  /**
   * Runs a command only if the journal has none with its id, whoever asked for that one; else the fault is `JournalFailed`
   * with `what: "Conflict"`. Of several who ask at once, also in other processes, one runs it. Default: `false`.
   */
  readonly once?: boolean | undefined
  /**
   * How long output waits for a journal that cannot be reached, or whose lock another holds, after the journal itself has
   * given up. The command goes on, and waits when its pipe is full; then it is ended. Default: 15 s.
   */
  readonly outageTimeout?: Duration.Input | undefined
}

type Elements<Element> = readonly [Element | ShellOutput, ...Array<Element | ShellOutput>]

type Run<Element> = Stream.Stream<Element | ShellOutput, ShellFault>

/**
 * Entries of one append. Output that comes whole may be more than a bounded journal takes at once, though less than it
 * takes piece by piece.
 */
const mostAtOnce = 32

const closed = (exec: ShellExec): ShellFault =>
  ShellFault.because(
    exec.commandId,
    { _tag: "Cancelled", by: "consumer" },
    `exec: ${exec.command} was ended: nobody wanted more of its output (CANCELLED)`,
  )

const isOutput = (event: ShellOutputChunk | ShellBytes | ShellOutput): event is ShellOutput =>
  event._tag === "ShellOutput"

const piecesOf = (
  events: ReadonlyArray<ShellOutputChunk | ShellBytes | ShellOutput>,
): ReadonlyArray<ShellOutputChunk | ShellBytes> => events.filter((event) => event._tag !== "ShellOutput")

/**
 * Runs commands of a shell, each journaled, with the lease of this process: so no daemon takes them, and one that finds
 * the process dead knows whose they were.
 */
export const makeJournaled = (
  shell: ShellService,
  journal: JournalService,
  host: HostIdentity,
  options: JournaledOptions,
): ShellService => {
  // Of all leases only the command id differs, and a Schema's encoding costs more than the append of the entry.
  const lease = ownLease({ name: Compute.name, correlationOf: () => "any" }, undefined, host)
  const leaseOf = (exec: ShellExec, redaction: RunRedaction | undefined): Draft => ({
    ...lease,
    correlationId: exec.commandId,
    body: { ...lease.body, execution: executionOf(shell, exec, redaction?.text) },
  })
  const outageMillis = Duration.toMillis(Duration.fromInputUnsafe(options.outageTimeout ?? "15 seconds"))
  const append: JournalService["append"] = (drafts, { condition } = {}) =>
    journal.append(drafts, { durability: options.durability, condition })
  const conditionOf = ({ commandId }: ShellExec): AppendCondition | undefined =>
    options.once === true
      ? { after: 0, noneOf: { branch: Compute.name, correlationId: commandId, tags: Compute.request.tags } }
      : undefined

  const record = <Element extends ShellOutputChunk | ShellBytes>(
    exec: ShellExec,
    what: "text" | "bytes",
    run: () => Run<Element>,
  ): Run<Element> => {
    const start = (scope: Scope.Scope): Effect.Effect<Pull.Pull<Elements<Element>, ShellFault>, ShellFault> =>
      Effect.gen(function* () {
        const clock = Context.get(yield* Effect.context<never>(), Clock.Clock)
        const redaction = redactionFor(exec, options.redactor)
        const recorder = new RunRecorder(exec, what, redaction)
        let open = false
        let last: Position = 0
        const place = { journal: { ...journal, append }, branch: Compute, correlationId: exec.commandId }

        const appendAll = (events: ReadonlyArray<ComputeEvent>): Effect.Effect<void, ShellFault> => {
          const drafts = events.map((event) => eventDraft(Compute, event))
          const appended = Effect.catchIf(
            Effect.map(append(drafts), (positions) => positions.at(-1) ?? last),
            isPassing,
            (error) => appendAgain(place, last, drafts, error, outageMillis),
          )
          return Effect.mapErrorEager(
            Effect.map(appended, (position) => void (last = position)),
            (error) => journalFault(exec, error, true),
          )
        }

        const write = (events: ReadonlyArray<ComputeEvent>): Effect.Effect<void, ShellFault> => {
          if (events.length === 0) return Effect.void
          if (events.length <= mostAtOnce) return appendAll(events)
          return Effect.andThen(
            appendAll(events.slice(0, mostAtOnce)),
            Effect.suspend(() => write(events.slice(mostAtOnce))),
          )
        }

        const end = (last: ShellOutput | ShellFault): Effect.Effect<void, ShellFault> => {
          open = false
          return Effect.uninterruptible(write(recorder.end(last)))
        }

        const passOn = (events: Elements<Element>): Effect.Effect<Elements<Element>, ShellFault> => {
          const output = events.find(isOutput)
          const entries: Array<ComputeEvent> = recorder.output(
            piecesOf(events),
            () => clock.currentTimeMillisUnsafe(),
          )
          if (output === undefined) return Effect.as(write(entries), events)
          open = false
          for (const entry of recorder.end(output)) entries.push(entry)
          return Effect.as(Effect.uninterruptible(write(entries)), events)
        }

        // Added before the run is there, and so called after it has ended.
        yield* Scope.addFinalizer(
          scope,
          Effect.suspend(() => open ? Effect.ignore(end(closed(exec))) : Effect.void),
        )
        yield* Effect.uninterruptible(
          append([
            requestDraft(Compute, redactExec(exec, options.redactor)),
            leaseOf(exec, redaction),
          ], { condition: conditionOf(exec) }).pipe(
            Effect.mapError((error) => journalFault(exec, error, false)),
            Effect.map((positions) => {
              open = true
              last = positions.at(-1) ?? 0
            }),
          ),
        )
        const pull: Pull.Pull<Elements<Element>, ShellFault> = yield* Channel.toPullScoped(run().channel, scope)
        return Effect.flatMap(
          Effect.tapError(pull, (error) => Cause.isDone(error) ? Effect.void : end(error)),
          passOn,
        )
      })
    return Stream.fromChannel(Channel.fromTransform((_, scope) => start(scope)))
  }

  return {
    ...shell,
    exec: (exec, execOptions) => record(exec, "text", () => shell.exec(exec, execOptions)),
    bytes: (exec, execOptions) => record(exec, "bytes", () => shell.bytes(exec, execOptions)),
  }
}

/**
 * Puts a journal around the shell of the context: every command, its output, and how it ended. Nothing else changes.
 *
 * The request is in the journal before the command starts, output before the consumer gets it, and the last event before
 * the consumer sees the end: who reads the journal knows at least what the caller knew. A journal that is slow slows the
 * command down. One that fails ends it, and the fault is `JournalFailed`.
 *
 * What one command of a pipeline hands to the next is not output, and is not journaled; how much it was is.
 *
 * Source: Compute Branch, "Why a Branch?".
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Journaled } from "@sluice/shell/compute"
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Shell.run(ShellExec.make("echo", ["hello"], { commandId: "c1" }))
 *   const journal = yield* Journal
 *   return (yield* journal.read({ filter: { correlationId: "c1" } })).map((entry) => entry.tag)
 * })
 * const layer = Journaled.layer().pipe(Layer.provide(LocalShell.layer), Layer.provideMerge(MemoryJournal.layer))
 * const tags = await Effect.runPromise(Effect.provide(program, layer))
 * console.assert(tags.at(0) === "ShellExec" && tags.at(-1) === "ShellOutput")
 * ```
 */
export const layer = (options: JournaledOptions = {}): Layer.Layer<Shell, never, Shell | Journal> =>
  Layer.effect(
    Shell,
    Effect.gen(function* () {
      return makeJournaled(yield* Shell, yield* Journal, yield* currentHost, options)
    }),
  )
