/** Runs one command, and appends its request, its output and its last event to a journal before the consumer gets them. */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { errorMessage } from "../base/errorMessage.ts"
import { draftRequest } from "../branch/BranchDefinition.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { type PartialOutput, ShellFault } from "../command/ShellFault.ts"
import type { Draft } from "../journal/Entry.ts"
import type { AppendCondition, JournalService } from "../journal/JournalService.ts"
import type { Redactor } from "../journal/redaction/Redactor.ts"
import { validateTerminal } from "../shell/refuseTerminal.ts"
import type { Elements, Next } from "../shell/OutputSink.ts"
import type { LeafRunOptions, ResolvedCommand, ShellBytes, ShellService } from "../shell/ShellService.ts"
import { ComputeBranch, type ComputeEvent } from "./ComputeBranch.ts"
import { type ComputeRequest, withDelivery } from "./ComputeRequest.ts"
import { flushInSilence } from "./flushInSilence.ts"
import { makeRunRedaction, redactExec, withGivenSecrets } from "./redaction.ts"
import { RunAppender } from "./RunAppender.ts"
import { RunRecorder, type RunRedaction } from "./RunRecorder.ts"
import { type RecordedTerminal, recordTerminal } from "./TerminalRecorder.ts"

/** Parts that all runs of a journaled shell share. */
export interface RunJournal {
  readonly shell: ShellService
  readonly journal: JournalService
  readonly outageTimeoutMillis: number
  readonly recordInput: boolean
  readonly redactor: () => Redactor | undefined
  readonly leaseOf: (exec: ShellExec, resolved: ResolvedCommand, redaction: RunRedaction | undefined) => Draft
  readonly conditionOf: (exec: ShellExec) => AppendCondition | undefined
}

/** A command, and how its shell is asked to run it. */
export interface RecordedCommand<Element> {
  readonly exec: ShellExec
  readonly what: "text" | "bytes"
  readonly runOptions: LeafRunOptions | undefined
  readonly run: (runOptions: LeafRunOptions | undefined) => Stream.Stream<Element | ShellOutput, ShellFault>
}

interface Recording {
  readonly exec: ShellExec
  readonly appender: RunAppender
  readonly recorder: RunRecorder
  readonly terminal: RecordedTerminal | undefined
  readonly clock: Clock.Clock
  /** Whether the consumer gets the output only in the last event. */
  readonly isWhole: boolean
  /** A person waits for a prompt, which is an unfinished line. */
  readonly flushes: boolean
}

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

const lastEntries = (
  { recorder, terminal }: Recording,
  last: ShellOutput | ShellFault,
): ReadonlyArray<ComputeEvent> => {
  const typed = terminal?.end()
  const entries = recorder.end(last)
  return typed === undefined ? entries : [typed, ...entries]
}

const recordEnd = (recording: Recording, last: ShellOutput | ShellFault): Effect.Effect<void, ShellFault> =>
  recording.appender.end(lastEntries(recording, last))

/** Records events, and then passes them on; pulls `next` if the consumer gets no events. */
const recordEvents = <Element extends ShellOutputChunk | ShellBytes>(
  recording: Recording,
  events: Elements<Element>,
  next: Next<Element>,
): Next<Element> => {
  const { appender, clock, flushes, isWhole, recorder } = recording
  const output = events.find(isOutput)
  const passed = isWhole && output !== undefined
    ? Arr.of(output)
    : flushes
    ? numberedFrom(recorder.nextSeq, events)
    : events
  const entries: Array<ComputeEvent> = recorder.output(piecesOf(events), () => clock.currentTimeMillisUnsafe())
  if (output === undefined) {
    return isWhole ? Effect.andThen(appender.append(entries), next) : Effect.as(appender.append(entries), passed)
  }
  for (const entry of lastEntries(recording, output)) entries.push(entry)
  return Effect.as(appender.end(entries), passed)
}

/** Closes `running` with a scope: the run has ended then, and a run whose end was not recorded is closed by its consumer. */
const closeWith = (scope: Scope.Scope, running: Scope.Closeable, recording: Recording): Effect.Effect<void> => {
  const { appender, exec, recorder } = recording
  return Scope.addFinalizerExit(scope, (exit) => {
    const close = Scope.close(running, exit)
    const end = Effect.suspend(() =>
      appender.isOpen ? Effect.ignore(recordEnd(recording, closed(exec, recorder.measured, exit))) : Effect.void
    )
    return appender.isOpen ? Effect.ensuring(close, end) : close
  })
}

/** Stores the text that a redactor holds back when the program ends; the redactor is empty for later entries. */
const flushAtProgramEnd = (
  shell: ShellService,
  scope: Scope.Scope,
  { appender, recorder }: Recording,
  context: Context.Context<never>,
): Effect.Effect<void> => {
  // A journal that cannot append at once does not have it.
  const forget = shell.atProgramEnd?.(() => {
    if (appender.isOpen) Effect.runSyncExitWith(context)(appender.appendNow(recorder.endOutput()))
  })
  return forget === undefined ? Effect.void : Scope.addFinalizer(scope, Effect.sync(forget))
}

export const recordRun = <Element extends ShellOutputChunk | ShellBytes>(
  { conditionOf, journal, leaseOf, outageTimeoutMillis, recordInput, redactor: currentRedactor, shell }: RunJournal,
  { exec, run, runOptions, what }: RecordedCommand<Element>,
  scope: Scope.Scope,
): Effect.Effect<Next<Element>, ShellFault> =>
  Effect.gen(function* () {
    // An entry cannot hold an invalid size.
    const refused = validateTerminal(exec, runOptions?.terminal)
    if (refused !== undefined) return yield* Effect.fail(refused)
    const context = yield* Effect.context<never>()
    const clock = Context.get(context, Clock.Clock)
    const redactor = currentRedactor()
    const redaction = makeRunRedaction(exec, redactor)
    const flushes = runOptions?.terminal !== undefined && redaction !== undefined
    const recorder = new RunRecorder(exec, what, redaction, flushes)
    const appender = new RunAppender(exec, journal, outageTimeoutMillis, runOptions?.terminal !== undefined)
    const terminal = runOptions?.terminal === undefined ? undefined : recordTerminal(runOptions, {
      commandId: exec.commandId,
      append: (event) => appender.appendIfOpen(event),
      clock,
      context,
      recordInput,
      redaction: redaction?.begin("text"),
    })
    const isWhole = what === "text" && !exec.streamOutput && runOptions?.emitsChunks !== true
    const recording: Recording = { exec, appender, recorder, terminal, clock, isWhole, flushes }
    if (redaction !== undefined) yield* flushAtProgramEnd(shell, scope, recording, context)
    // Effect closes two scopes with one finalizer each faster than one scope with two.
    const running = Scope.makeUnsafe()
    yield* closeWith(scope, running, recording)
    const resolved = yield* shell.resolve?.(exec) ?? Effect.undefined
    const drafts = [
      draftRequest(ComputeBranch, requestOf(redactExec(exec, redactor), runOptions)),
      leaseOf(exec, resolved ?? {}, redaction),
    ]
    yield* Effect.uninterruptible(
      Effect.map(appender.begin(drafts, conditionOf(exec)), (position) => runOptions?.onRecorded?.(position)),
    )
    const events = run({ ...terminal?.runOptions ?? runOptions, emitsChunks: true, resolved })
    const pull: Next<Element> = yield* Channel.toPullScoped(
      withGivenSecrets(events, redaction, exec, journal).channel,
      running,
    )
    const flush = Effect.suspend(() => appender.append(recorder.flush()))
    const next: Next<Element> = Effect.flatMap(
      Effect.tapError(
        flushes ? flushInSilence(pull, flush) : pull,
        (error) => Cause.isDone(error) ? Effect.void : recordEnd(recording, error),
      ),
      (events) => recordEvents(recording, events, next),
    )
    return next
  })
