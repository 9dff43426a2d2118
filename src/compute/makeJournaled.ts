/**
 * Runs commands of a shell and appends each request with a lease, its redacted output and its last event to a journal;
 * retries in an outage, and ends the command when the journal fails.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { draftOwnLease } from "../branch/BranchEntry.ts"
import { draftEvent, draftRequest } from "../branch/BranchDefinition.ts"
import type { HostIdentity } from "../branch/HostIdentity.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/ShellFault.ts"
import { isTransient } from "../branch/LeaseHolder.ts"
import type { Draft, Position } from "../journal/Entry.ts"
import type { AppendCondition, JournalService } from "../journal/JournalService.ts"
import * as Redactor from "../journal/redaction/Redactor.ts"
import type { LeafRunOptions, ShellBytes, ShellService } from "../shell/ShellService.ts"
import { ComputeBranch, type ComputeEvent } from "./ComputeBranch.ts"
import { type JournaledShellOptions, journaledShellSettings } from "./JournaledShellOptions.ts"
import { makeJournalFault } from "./makeJournalFault.ts"
import { makeRunRedaction, redactExec } from "./redaction.ts"
import { retryAppend } from "./retryAppend.ts"
import { describeExecution } from "./describeExecution.ts"
import { RunRecorder, type RunRedaction } from "./RunRecorder.ts"

type Elements<Element> = readonly [Element | ShellOutput, ...Array<Element | ShellOutput>]

type Run<Element> = Stream.Stream<Element | ShellOutput, ShellFault>

/**
 * Entries of one append. Output that comes whole may be more than a bounded journal takes at once, though less than it
 * takes piece by piece.
 */
const maxEntriesAtOnce = 32

const closed = (exec: ShellExec): ShellFault =>
  ShellFault.because(
    exec.commandId,
    { _tag: "Cancelled", by: "consumer" },
    `exec: ${exec.command} was ended: its output was closed (CANCELLED)`,
  )

const isOutput = (event: ShellOutputChunk | ShellBytes | ShellOutput): event is ShellOutput =>
  event._tag === "ShellOutput"

const piecesOf = (
  events: ReadonlyArray<ShellOutputChunk | ShellBytes | ShellOutput>,
): ReadonlyArray<ShellOutputChunk | ShellBytes> => events.filter((event) => event._tag !== "ShellOutput")

/**
 * Runs commands of a shell, each journaled, with the lease of this process: so no daemon takes them, and a daemon
 * that finds the process dead ends what is left of them.
 */
export const makeJournaled = (
  shell: ShellService,
  journal: JournalService,
  host: HostIdentity,
  options: JournaledShellOptions = {},
): ShellService => {
  // Of all leases only the command id differs, and a Schema's encoding costs more than the append of the entry.
  const lease = draftOwnLease({ name: ComputeBranch.name, correlationOf: () => "any" }, undefined, host)
  const leaseOf = (exec: ShellExec, redaction: RunRedaction | undefined): Draft => ({
    ...lease,
    correlationId: exec.commandId,
    body: { ...lease.body, execution: describeExecution(shell, exec, redaction?.text) },
  })
  const { durability, once, outageMillis, redactor: own } = journaledShellSettings(options)
  const redactor = own === undefined || journal.redactor === undefined
    ? own ?? journal.redactor
    : Redactor.combine(own, journal.redactor)
  const append: JournalService["append"] = (drafts, { condition } = {}) =>
    journal.append(drafts, { durability, condition })
  const conditionOf = ({ commandId }: ShellExec): AppendCondition | undefined =>
    once
      ? { after: 0, noneOf: { branch: ComputeBranch.name, correlationId: commandId, tags: ComputeBranch.request.tags } }
      : undefined

  const record = <Element extends ShellOutputChunk | ShellBytes>(
    exec: ShellExec,
    what: "text" | "bytes",
    runOptions: LeafRunOptions | undefined,
    run: () => Run<Element>,
  ): Run<Element> => {
    const start = (scope: Scope.Scope): Effect.Effect<Pull.Pull<Elements<Element>, ShellFault>, ShellFault> =>
      Effect.gen(function* () {
        const clock = Context.get(yield* Effect.context<never>(), Clock.Clock)
        const redaction = makeRunRedaction(exec, redactor)
        const recorder = new RunRecorder(exec, what, redaction)
        let open = false
        let last: Position = 0
        const place = { journal: { ...journal, append }, branch: ComputeBranch, correlationId: exec.commandId }

        const appendAll = (events: ReadonlyArray<ComputeEvent>): Effect.Effect<void, ShellFault> => {
          const drafts = events.map((event) => draftEvent(ComputeBranch, event))
          const appended = Effect.catchIf(
            Effect.map(append(drafts), (positions) => positions.at(-1) ?? last),
            isTransient,
            (error) => retryAppend(place, last, drafts, error, outageMillis),
          )
          return Effect.mapErrorEager(
            Effect.map(appended, (position) => void (last = position)),
            (error) => makeJournalFault(exec, error, true),
          )
        }

        const writeFrom = (count: number, events: ReadonlyArray<ComputeEvent>): Effect.Effect<void, ShellFault> =>
          Effect.andThen(write(events.slice(0, count)), Effect.suspend(() => write(events.slice(count))))

        const write = (events: ReadonlyArray<ComputeEvent>): Effect.Effect<void, ShellFault> => {
          if (events.length === 0) return Effect.void
          if (events.length > maxEntriesAtOnce) return writeFrom(maxEntriesAtOnce, events)
          if (events.length === 1) return appendAll(events)
          // A small journal that prunes itself has room for some of them at a time, and not for all at once.
          return Effect.catchIf(
            appendAll(events),
            ({ reason }) => reason._tag === "JournalFailed" && reason.what === "Full",
            () => writeFrom(Math.ceil(events.length / 2), events),
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
            draftRequest(ComputeBranch, redactExec(exec, redactor)),
            leaseOf(exec, redaction),
          ], { condition: conditionOf(exec) }).pipe(
            Effect.mapError((error) => makeJournalFault(exec, error, false)),
            Effect.map((positions) => {
              open = true
              last = positions.at(-1) ?? 0
            }),
          ),
        )
        runOptions?.onRecorded?.()
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
    exec: (exec, runOptions) => record(exec, "text", runOptions, () => shell.exec(exec, runOptions)),
    bytes: (exec, runOptions) => record(exec, "bytes", runOptions, () => shell.bytes(exec, runOptions)),
  }
}
