/**
 * Runs the command of a request within the output limit, and responds with its events, its result, 202, the replay of
 * an earlier run, or a problem.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import * as Option from "effect/Option"
import { runPromise, runSync } from "../base/stderrLogs.ts"
import { wallClockMillis } from "../base/wallClock.ts"
import { commandById } from "../history/findCommand.ts"
import type { CommandRecord } from "../history/CommandRecord.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { Journal } from "../journal/JournalService.ts"
import type * as Redactor from "../journal/redaction/Redactor.ts"
import { redactExec } from "../compute/redaction.ts"
import { InputChannel } from "./InputChannel.ts"
import { RunningCommand } from "./RunningCommand.ts"
import type { JournalResponseOptions } from "./journalResponder.ts"
import { acceptedResponse } from "./acceptedResponse.ts"
import { type ResponseContext, type RunEvents, runForClient, runInBackground } from "./startRun.ts"
import { faultOf, problemResponse, refuse, refuseFault } from "./problem.ts"
import type { RunRequest } from "./readRequest.ts"
import type { RunSupervisor, Services } from "./RunSupervisor.ts"
import { isSameCommand } from "./isSameCommand.ts"
import { RunTerminal } from "./terminals/RunTerminal.ts"

/** Cap of a command's own `maxOutputBytes` where the route has no limit. */
const maxOutputBytesUnlimited = 64 * 1024 * 1024

/** The command with its `maxOutputBytes` capped by the limit of the route. */
const withOutputLimit = (exec: ShellExec, max: number | undefined): ShellExec => {
  const requested = exec.maxOutputBytes
  const bounded = requested === undefined ? max : Math.min(requested, max ?? maxOutputBytesUnlimited)
  return bounded === requested || bounded === undefined ? exec : new ShellExec({ ...exec, maxOutputBytes: bounded })
}

/** Settings of {@link makeRunResponder}. */
export interface RunResponderSettings {
  readonly maxOutputBytes: number | undefined
  readonly maxAhead: number
  readonly retryAfterSeconds: number
  readonly redactor: Redactor.Redactor | undefined
  readonly respondFromJournal: (options: JournalResponseOptions) => Promise<Response>
}

/** Whether a run failed because its id is in the journal. */
const isIdTaken = (exit: Exit.Exit<unknown, ShellFault>): boolean => {
  if (Exit.isSuccess(exit)) return false
  const fault = Cause.findErrorOption(exit.cause)
  return Option.isSome(fault) && fault.value.reason._tag === "JournalFailed" && fault.value.reason.what === "Conflict"
}

/**
 * Makes the function that runs a command and responds at its first event or its end; for a detached command when its
 * request is in the journal.
 */
export const makeRunResponder = (
  runs: RunSupervisor,
  { maxAhead, maxOutputBytes, redactor, retryAfterSeconds, respondFromJournal }: RunResponderSettings,
): (request: RunRequest, context: ResponseContext) => Promise<Response> => {
  const unavailable = (): Response =>
    problemResponse(refuse(503, "unavailable", "no commands are run at the moment", {
      headers: { "retry-after": String(retryAfterSeconds) },
    }))

  const refused = (exec: ShellExec, cause: Cause.Cause<ShellFault>): Response =>
    runs.isClosing() && Cause.hasInterruptsOnly(cause)
      ? unavailable()
      : problemResponse(refuseFault(faultOf(exec.commandId, cause), retryAfterSeconds))

  const recordOf = ({ journal }: Services, { commandId }: ShellExec): Promise<CommandRecord | undefined> =>
    runPromise(Effect.provideService(commandById(commandId), Journal, journal))

  /** Responds with the events of the earlier run of this id. */
  const replay = async (
    services: Services,
    exec: ShellExec,
    request: RunRequest,
    context: ResponseContext,
  ): Promise<Response> => {
    const record = await recordOf(services, exec)
    if (record?.exec === undefined || !isSameCommand(record.exec, exec, redactor)) {
      context.onSent()
      const what = record?.exec === undefined ? "its request was pruned" : "it is another one"
      return problemResponse(refuse(409, "conflict", `a command with this id was run already, and ${what}`))
    }
    const headers = { "sluice-replayed": "true" }
    if (request.lifetime === "detached") {
      context.onSent()
      return acceptedResponse(context.path, exec.commandId, headers)
    }
    return await respondFromJournal({
      journal: services.journal,
      record,
      type: request.type,
      policy: request.policy,
      waitForFirst: request.lifetime === "attached",
      reader: runs.running.get(exec.commandId)?.disconnectGrace?.attach(),
      maxOutputBytes: exec.maxOutputBytes,
      headers,
      signal: context.signal,
      onEnd: context.onSent,
    })
  }

  return async (request, context) => {
    const endWith = (response: Response): Response => {
      context.onEnd()
      context.onSent()
      return response
    }
    const services = await runs.services().catch((error: unknown) => {
      if (!runs.isClosing()) runSync(Effect.logError("the services of the route could not be built", error))
      return undefined
    })
    if (services === undefined) return endWith(unavailable())
    const { chunking, hasCommandId, lifetime, stdinOpen, terminal, type } = request
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
    const eventsOf = (onRecorded: () => void): RunEvents => {
      const options = run.options(() => {
        runs.running.set(exec.commandId, run)
        onRecorded()
      })
      const events = (hasCommandId ? services.once : services.recorded).exec(exec, options)
      return run.terminal === undefined ? events : Stream.mapArray(events, (batch) => {
        run.terminal?.produced(batch)
        return batch
      })
    }

    if (lifetime === "attached") {
      const answer = await runForClient(runs, services, exec, run, eventsOf(() => {}), request, context)
      if (answer instanceof Response) return answer
      if (hasCommandId && isIdTaken(answer)) return await replay(services, exec, request, context)
      return Exit.isFailure(answer) ? refused(exec, answer.cause) : refused(exec, Cause.die("the run brought no event"))
    }

    const exit = await runInBackground(
      runs,
      maxAhead,
      services,
      run,
      eventsOf,
      lifetime === "detached" ? undefined : lifetime.disconnectGraceMillis,
    )
    if (Exit.isFailure(exit)) {
      if (hasCommandId && isIdTaken(exit)) return await replay(services, exec, request, context)
      context.onSent()
      return refused(exec, exit.cause)
    }
    if (lifetime === "detached") {
      context.onSent()
      return acceptedResponse(context.path, exec.commandId)
    }
    const reader = run.disconnectGrace?.attach()
    const record = await recordOf(services, exec)
    if (record === undefined) {
      reader?.detach()
      context.onSent()
      return problemResponse(refuse(410, "pruned", "the journal has pruned the command already"))
    }
    return await respondFromJournal({
      journal: services.journal,
      record,
      type,
      policy: request.policy,
      waitForFirst: false,
      reader,
      maxOutputBytes: exec.maxOutputBytes,
      signal: context.signal,
      onEnd: context.onSent,
    })
  }
}
