/** Runs commands of a shell, and appends each request, its output and its last event to a journal. */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Semaphore from "effect/Semaphore"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { draftOwnLease } from "../branch/BranchEntry.ts"
import { draftEvent, draftRequest } from "../branch/BranchDefinition.ts"
import type { HostIdentity } from "../branch/HostIdentity.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { type PartialOutput, ShellFault } from "../command/ShellFault.ts"
import { isTransient } from "../branch/LeaseHolder.ts"
import type { Draft, Position } from "../journal/Entry.ts"
import type { AppendCondition, JournalService } from "../journal/JournalService.ts"
import * as Redactor from "../journal/redaction/Redactor.ts"
import { redactorOf } from "../journal/redaction/RememberedSecrets.ts"
import { validateTerminal } from "../shell/refuseTerminal.ts"
import type { Elements, Next } from "../shell/OutputSink.ts"
import type { LeafRunOptions, ResolvedCommand, ShellBytes, ShellService } from "../shell/ShellService.ts"
import { ComputeBranch, type ComputeEvent } from "./ComputeBranch.ts"
import { type JournaledShellOptions, journaledShellSettings } from "./JournaledShellOptions.ts"
import { makeJournalFault } from "./makeJournalFault.ts"
import { makeRunRedaction, redactExec, withGivenSecrets } from "./redaction.ts"
import { retryAppend } from "./retryAppend.ts"
import { describeExecution } from "./describeExecution.ts"
import { type ComputeRequest, withDelivery } from "./ComputeRequest.ts"
import { flushInSilence } from "./flushInSilence.ts"
import { errorMessage } from "../base/errorMessage.ts"
import { sortKeys } from "../base/canonicalJson.ts"
import { RunRecorder, type RunRedaction } from "./RunRecorder.ts"
import { recordTerminal } from "./TerminalRecorder.ts"

type Run<Element> = Stream.Stream<Element | ShellOutput, ShellFault>

/**
 * Entries of one append. Output that comes whole may be more than a bounded journal takes at once, though less than it
 * takes piece by piece.
 */
const maxEntriesAtOnce = 32

const failureOf = (exit: Exit.Exit<unknown, unknown>): string => {
  const failure = Exit.isFailure(exit)
    ? exit.cause.reasons.find((reason) => !Cause.isInterruptReason(reason))
    : undefined
  if (failure === undefined) return ""
  return `: ${errorMessage(Cause.isFailReason(failure) ? failure.error : failure.defect)}`
}

const closed = (exec: ShellExec, output: PartialOutput, exit: Exit.Exit<unknown, unknown>): ShellFault =>
  ShellFault.because(
    exec.commandId,
    { _tag: "Cancelled", by: "consumer" },
    `exec: ${exec.command} was ended: its output was closed${failureOf(exit)} (CANCELLED)`,
    output,
  )

const requestOf = (exec: ShellExec, { requestedBy, terminal }: LeafRunOptions = {}): ComputeRequest => {
  if (requestedBy === undefined && terminal === undefined) return exec
  return withDelivery(exec, {
    ...(requestedBy === undefined ? undefined : { requestedBy }),
    ...(terminal === undefined ? undefined : { terminal }),
  })
}

const isOutput = (event: ShellOutputChunk | ShellBytes | ShellOutput): event is ShellOutput =>
  event._tag === "ShellOutput"

const numberedFrom = <Element extends ShellOutputChunk | ShellBytes>(
  first: number,
  events: Elements<Element>,
): Elements<Element> => {
  let seq = first
  return Arr.map(
    events,
    (event) => event._tag === "ShellOutputChunk" ? Object.assign({}, event, { seq: seq++ }) : event,
  )
}

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
  // With its keys in the order of the canonical form: they need not be sorted for each command.
  const body = sortKeys({ ...lease.body, execution: null })
  const leaseOf = (exec: ShellExec, resolved: ResolvedCommand, redaction: RunRedaction | undefined): Draft => ({
    ...lease,
    correlationId: exec.commandId,
    body: { ...body, _tag: lease.body._tag, execution: { ...describeExecution(resolved, redaction?.text) } },
  })
  const { durability, once, outageTimeoutMillis, recordInput, redactor: own } = journaledShellSettings(options)
  const currentRedactor = (): Redactor.Redactor | undefined => {
    const shared = redactorOf(journal)
    return own === undefined || shared === undefined ? own ?? shared : Redactor.combine(own, shared)
  }
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
    run: (runOptions: LeafRunOptions | undefined) => Run<Element>,
  ): Run<Element> => {
    const start = (scope: Scope.Scope): Effect.Effect<Next<Element>, ShellFault> =>
      Effect.gen(function* () {
        // An entry has no such size.
        const refused = validateTerminal(exec, runOptions?.terminal)
        if (refused !== undefined) return yield* Effect.fail(refused)
        const clock = Context.get(yield* Effect.context<never>(), Clock.Clock)
        const redactor = currentRedactor()
        const redaction = makeRunRedaction(exec, redactor)
        // A person waits for a prompt, which is an unfinished line.
        const flushes = runOptions?.terminal !== undefined && redaction !== undefined
        const recorder = new RunRecorder(exec, what, redaction, flushes)
        let open = false
        let last: Position = 0
        const place = { journal: { ...journal, append }, branch: ComputeBranch, correlationId: exec.commandId }

        // What is typed is appended beside the output.
        const inTurn: <A, E>(append: Effect.Effect<A, E>) => Effect.Effect<A, E> = runOptions?.terminal === undefined
          ? identity
          : Semaphore.makeUnsafe(1).withPermits(1)

        const appendAll = (events: ReadonlyArray<ComputeEvent>): Effect.Effect<void, ShellFault> => {
          const drafts = events.map((event) => draftEvent(ComputeBranch, event))
          const note = (position: Position): void => void (last = position)
          return Effect.catch(
            Effect.map(append(drafts), (positions) => note(positions.at(-1) ?? last)),
            (error) => {
              const retried = isTransient(error)
                ? Effect.map(retryAppend(place, last, drafts, error, outageTimeoutMillis), note)
                : Effect.fail(error)
              return Effect.mapErrorEager(retried, (failed) => makeJournalFault(exec, failed, true))
            },
          )
        }

        const appendInput = (event: ComputeEvent): Effect.Effect<void, ShellFault> =>
          inTurn(Effect.suspend(() => open ? Effect.uninterruptible(appendAll([event])) : Effect.void))

        const terminal = runOptions?.terminal === undefined ? undefined : recordTerminal(runOptions, {
          commandId: exec.commandId,
          append: appendInput,
          clock,
          context: yield* Effect.context<never>(),
          recordInput,
          redaction: redaction?.begin("text"),
        })

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

        const endOf = (last: ShellOutput | ShellFault): ReadonlyArray<ComputeEvent> => {
          const typed = terminal?.end()
          const entries = recorder.end(last)
          return typed === undefined ? entries : [typed, ...entries]
        }

        const end = (last: ShellOutput | ShellFault): Effect.Effect<void, ShellFault> => {
          open = false
          return Effect.uninterruptible(inTurn(write(endOf(last))))
        }

        /** Whether the consumer gets the output by its last event alone. */
        const isWhole = what === "text" && !exec.streamOutput && runOptions?.emitsChunks !== true

        const passOn = (events: Elements<Element>): Next<Element> => {
          const output = events.find(isOutput)
          const passed = isWhole && output !== undefined
            ? Arr.of(output)
            : flushes
            ? numberedFrom(recorder.nextSeq, events)
            : events
          const entries: Array<ComputeEvent> = recorder.output(
            piecesOf(events),
            () => clock.currentTimeMillisUnsafe(),
          )
          if (output === undefined) {
            return isWhole ? Effect.andThen(inTurn(write(entries)), next) : Effect.as(inTurn(write(entries)), passed)
          }
          open = false
          for (const entry of endOf(output)) entries.push(entry)
          return Effect.as(Effect.uninterruptible(inTurn(write(entries))), passed)
        }

        // Closed first: then the run has ended. Effect closes two scopes of one finalizer faster than one scope of two.
        const running = Scope.makeUnsafe()
        // Later entries find the redactor empty. A journal that cannot append at once does not have this one.
        if (redaction !== undefined && shell.atProgramEnd !== undefined) {
          const forget = shell.atProgramEnd(() => {
            if (open) Effect.runSyncExit(write(recorder.endOutput()))
          })
          yield* Scope.addFinalizer(scope, Effect.sync(forget))
        }
        yield* Scope.addFinalizerExit(scope, (exit) => {
          const close = Scope.close(running, exit)
          return open
            ? Effect.ensuring(
              close,
              Effect.suspend(() => open ? Effect.ignore(end(closed(exec, recorder.measured, exit))) : Effect.void),
            )
            : close
        })
        const resolved = shell.resolve?.(exec)
        yield* Effect.uninterruptible(
          append([
            draftRequest(ComputeBranch, requestOf(redactExec(exec, redactor), runOptions)),
            leaseOf(exec, resolved ?? {}, redaction),
          ], { condition: conditionOf(exec) }).pipe(
            Effect.mapError((error) => makeJournalFault(exec, error, false)),
            Effect.map((positions) => {
              open = true
              last = positions.at(-1) ?? 0
              runOptions?.onRecorded?.(positions[0] ?? 0)
            }),
          ),
        )
        const pull: Next<Element> = yield* Channel.toPullScoped(
          withGivenSecrets(
            run({ ...terminal?.runOptions ?? runOptions, emitsChunks: true, resolved }),
            redaction,
            exec,
            journal,
          ).channel,
          running,
        )
        const next: Next<Element> = Effect.flatMap(
          Effect.tapError(
            flushes ? flushInSilence(pull, Effect.suspend(() => inTurn(write(recorder.flush())))) : pull,
            (error) => Cause.isDone(error) ? Effect.void : end(error),
          ),
          passOn,
        )
        return next
      })
    return Stream.fromChannel(Channel.fromTransform((_, scope) => start(scope)))
  }

  return {
    ...shell,
    exec: (exec, runOptions) => record(exec, "text", runOptions, (settings) => shell.exec(exec, settings)),
    bytes: (exec, runOptions) => record(exec, "bytes", runOptions, (settings) => shell.bytes(exec, settings)),
  }
}
