/** Runs the command of a request and responds with its events, its result, 202, a replay or a problem. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { logWith, runPromise } from "../base/stderrLogs.ts"
import { wallClockMillis } from "../base/wallClockMillis.ts"
import { commandById } from "../history/findCommand.ts"
import type { CommandId } from "../command/CommandId.ts"
import { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/plain/ShellFault.ts"
import type { Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal } from "../journal/JournalService.ts"
import type * as Redactor from "../journal/redaction/Redactor.ts"
import { redactExec } from "../compute/redaction.ts"
import { takeShellOutput } from "../shell/takeShellOutput.ts"
import type { CommandAccepted } from "../wire/mod.ts"
import { DisconnectGrace } from "./DisconnectGrace.ts"
import { jsonResponse } from "./headers.ts"
import { InputChannel } from "./InputChannel.ts"
import { defaultMaxOutputBytes, type makeJournalResponder } from "./journalResponder.ts"
import { problemResponse, refuse, refuseCause, refuseJournal } from "./problem.ts"
import type { RunRequest } from "./readRequest.ts"
import { RunningCommand } from "./RunningCommand.ts"
import type { Services } from "./RunSupervisor.ts"
import type { ShellServer } from "./ShellServer.ts"
import { type RunEvents, sendEvents } from "./sendEvents.ts"
import { RunTerminal } from "./terminals/RunTerminal.ts"
import { canonicalJson } from "../base/canonicalJson.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"

const identityOf = (exec: ShellExec): string => {
  const { delivery: _, maxOutputBytes: __, streamOutput: ___, ...body } = ComputeBranch.request.encode(exec)
  return canonicalJson(body)
}

/** Whether a journaled command equals a requested one, except for the fields that concern only the response. */
const isSameCommand = (
  stored: ShellExec,
  requested: ShellExec,
  redactor: Redactor.Redactor | undefined,
): boolean => identityOf(stored) === identityOf(redactExec(requested, redactor))

const withOutputLimit = (exec: ShellExec, max: number | undefined): ShellExec => {
  const requested = exec.maxOutputBytes
  const bounded = requested === undefined ? max : Math.min(requested, max ?? defaultMaxOutputBytes)
  return bounded === requested || bounded === undefined ? exec : new ShellExec({ ...exec, maxOutputBytes: bounded })
}

export interface ResponseContext {
  readonly path: string
  readonly signal: AbortSignal
  /** Annotations of log lines, in addition to the command id. */
  readonly annotations: Readonly<Record<string, string>>
  /** Called when the command has ended, or was not started. */
  readonly onEnd: () => void
  /** Called when the response has been sent. */
  readonly onSent: () => void
}

type RunFailure = Cause.Cause<ShellFault | JournalError>

const isIdTaken = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(
    Cause.findErrorOption(cause),
    (error) => error instanceof ShellFault && error.reason._tag === "JournalFailed" && error.reason.what === "Conflict",
  )

/** Runs a command and responds at its first event or its end; detached, when its request is in the journal. */
export const makeRunResponder = (
  { maxAhead, maxOutputBytes, redactor, retryAfterSeconds, runs }: ShellServer,
  respondFromJournal: ReturnType<typeof makeJournalResponder>,
): (request: RunRequest, context: ResponseContext) => Promise<Response> => {
  const unavailable = (): Response =>
    problemResponse(refuse(503, "unavailable", "the server cannot run commands at the moment", {
      headers: { "retry-after": String(retryAfterSeconds) },
    }))

  /** Responds with the events of the earlier run of this id. */
  const replay = async (
    services: Services,
    exec: ShellExec,
    request: RunRequest,
    context: ResponseContext,
  ): Promise<Response> => {
    const { journal } = services
    const found = await runPromise(
      Effect.result(Effect.provideService(commandById(exec.commandId), Journal, journal)),
    )
    if (Result.isFailure(found)) {
      context.onSent()
      return problemResponse(refuseJournal(found.failure))
    }
    const record = found.success
    if (record?.exec === undefined || !isSameCommand(record.exec, exec, redactor)) {
      context.onSent()
      const what = record?.exec === undefined ? "its request was pruned" : "it is a different command"
      return problemResponse(refuse(409, "conflict", `this command id is already used, and ${what}`))
    }
    const headers = { "sluice-replayed": "true" }
    if (request.lifetime === "detached") {
      context.onSent()
      return acceptedResponse(context.path, exec.commandId, headers)
    }
    return await respondFromJournal({
      journal,
      record,
      type: request.type,
      policy: request.policy,
      isReplay: request.lifetime === "attached",
      reader: runs.running.get(exec.commandId)?.disconnectGrace?.attach(),
      maxOutputBytes: exec.maxOutputBytes,
      headers,
      signal: context.signal,
      onSent: context.onSent,
    })
  }

  /** Responds to a run that failed before its first event, or ended without one. */
  const refuseRun = async (
    cause: RunFailure,
    services: Services,
    exec: ShellExec,
    request: RunRequest,
    context: ResponseContext,
  ): Promise<Response> => {
    if (request.hasCommandId && isIdTaken(cause)) return await replay(services, exec, request, context)
    context.onSent()
    return runs.isClosing() && Cause.hasInterruptsOnly(cause)
      ? unavailable()
      : problemResponse(refuseCause(exec.commandId, cause, retryAfterSeconds))
  }

  /** Runs a command that outlives its request. Resolves with the position of its request in the journal. */
  const runInBackground = (
    services: Services,
    run: RunningCommand,
    eventsOf: (onRecorded: (position: Position) => void) => RunEvents,
    graceMillis: number | undefined,
  ): Promise<Exit.Exit<Position, ShellFault>> =>
    new Promise((resolve) => {
      let fiber: Fiber.Fiber<void, ShellFault> | undefined = undefined
      let isAbandoned = false
      const grace = graceMillis === undefined ? undefined : new DisconnectGrace({
        millis: graceMillis,
        maxAhead,
        onAbandoned: () => {
          isAbandoned = true
          fiber?.interruptUnsafe()
        },
        context: services.context,
      })
      run.disconnectGrace = grace
      const all = eventsOf((position) => resolve(Exit.succeed(position)))
      const gated = grace === undefined
        ? all
        : Stream.transformPull(all, (pull) => Effect.succeed(grace.whenOpen(pull)))
      const drained = Stream.runForEachArray(gated, (batch) => Effect.sync(() => grace?.produced(batch)))
      fiber = runs.fork(services, run, drained)
      if (isAbandoned) fiber.interruptUnsafe()
      // A run that ends without an entry has no position to read from; 0 is before the first entry.
      fiber.addObserver((exit) => resolve(Exit.map(exit, (): Position => 0)))
    })

  return async (request, context) => {
    const services = await runs.services().catch((error: unknown) => {
      if (!runs.isClosing()) {
        logWith(runs.context(), Effect.logError("the services of the route could not be built", error))
      }
      return undefined
    })
    if (services === undefined) {
      context.onEnd()
      context.onSent()
      return unavailable()
    }
    const { chunking, hasCommandId, lifetime, policy, stdinOpen, terminal, type } = request
    const exec = withOutputLimit(request.exec, maxOutputBytes)
    const run = new RunningCommand({
      exec: redactExec(exec, redactor),
      startedMillis: wallClockMillis(),
      annotations: context.annotations,
      chunking,
      input: stdinOpen ? new InputChannel(terminal !== undefined) : undefined,
      terminal: terminal === undefined ? undefined : new RunTerminal(terminal),
      onClose: context.onEnd,
    })
    const eventsOf = (onRecorded?: (position: Position) => void): RunEvents => {
      const options = run.options((position) => {
        runs.addRunning(run)
        onRecorded?.(position)
      })
      const events = (hasCommandId ? services.once : services.recorded).exec(exec, options)
      return run.terminal === undefined ? events : Stream.mapArray(events, (batch) => {
        run.terminal?.produced(batch)
        return batch
      })
    }

    if (lifetime === "attached") {
      const events = eventsOf()
      return await sendEvents({
        commandId: exec.commandId,
        events,
        result: takeShellOutput(events),
        isLive: true,
        fork: (effect) => {
          const fiber = runs.fork(services, run, effect, context.signal)
          // The replay that follows is sent later.
          fiber.addObserver((exit) => {
            if (!request.hasCommandId || Exit.isSuccess(exit) || !isIdTaken(exit.cause)) context.onSent()
          })
          return fiber
        },
      }, {
        type,
        policy,
        waits: true,
        refuse: (exit) => {
          const cause = Exit.isFailure(exit) ? exit.cause : Cause.die("the run has no events")
          return refuseRun(cause, services, exec, request, context)
        },
      })
    }

    const graceMillis = lifetime === "detached" ? undefined : lifetime.disconnectGraceMillis
    const recorded = await runInBackground(services, run, eventsOf, graceMillis)
    if (Exit.isFailure(recorded)) return await refuseRun(recorded.cause, services, exec, request, context)
    if (lifetime === "detached") {
      context.onSent()
      return acceptedResponse(context.path, exec.commandId)
    }
    return await respondFromJournal({
      journal: services.journal,
      record: run.recordAt(recorded.value),
      isFresh: true,
      type,
      policy,
      reader: run.disconnectGrace?.attach(),
      maxOutputBytes: exec.maxOutputBytes,
      signal: context.signal,
      onSent: context.onSent,
    })
  }
}

/** The 202 response to a detached command, with its links. `path` is that of `POST /exec`, wherever it is mounted. */
const acceptedResponse = (path: string, id: CommandId, headers?: Readonly<Record<string, string>>): Response => {
  const command = `${path.slice(0, path.lastIndexOf("/"))}/commands/${encodeURIComponent(id)}`
  const accepted: CommandAccepted = {
    commandId: id,
    links: { command, events: `${command}/events`, input: `${command}/input` },
  }
  return jsonResponse(accepted, { status: 202, headers: { ...headers, location: command } })
}
