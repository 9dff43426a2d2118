/** Responds with the journaled and future events of a command, and ends a command whose host is lost. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { runPromise } from "../base/stderrLogs.ts"
import { interruptOnAbort } from "../base/abort.ts"
import { encodeUtf8 } from "../base/bytes.ts"
import type { CommandRecord } from "../history/CommandRecord.ts"
import { commandById } from "../history/findCommand.ts"
import type { ShellOutput } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import { makeJournalFault } from "../compute/makeJournalFault.ts"
import { HeadTailBuffer } from "../shell/HeadTailBuffer.ts"
import type { Policy } from "../window/Policy.ts"
import { commandEvents, type EventWithId, playEvents, pruned } from "./commandEvents.ts"
import type { AttachedReader } from "./DisconnectGrace.ts"
import { endLost } from "../history/endLost.ts"
import { responseHeaders } from "./headers.ts"
import type { ResponseType } from "./negotiate.ts"
import { problemResponse, refuseCause, refuseJournal } from "./problem.ts"
import type { ShellServer } from "./ShellServer.ts"
import { type RunEvents, sendEvents } from "./sendEvents.ts"

export interface JournalResponseOptions {
  readonly journal: JournalService
  readonly record: CommandRecord
  readonly type: ResponseType
  readonly policy?: Policy | undefined
  readonly after?: number | undefined
  /** Whether the request has just been appended, so that no lookup is needed. */
  readonly isFresh?: boolean | undefined
  /**
   * Whether the response is that of the run itself: it waits for the first event, and a fault that comes first becomes
   * its status. Otherwise the headers are sent at once while the command runs, a fault is an event, and a response
   * without events is 204.
   */
  readonly isReplay?: boolean | undefined
  readonly reader?: AttachedReader | undefined
  /** Maximum bytes of each output in a single result. */
  readonly maxOutputBytes?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal: AbortSignal
  readonly onSent: () => void
}

/** Limit of the output in a single result if neither the route nor the command has one. */
export const defaultMaxOutputBytes: number = 64 * 1024 * 1024

const asRun = (exec: ShellExec, events: Stream.Stream<EventWithId, JournalError>): RunEvents =>
  events.pipe(
    Stream.mapError((error) => makeJournalFault(exec, error, true)),
    Stream.mapEffect(({ event }) => event._tag === "ShellFault" ? Effect.fail(event) : Effect.succeed(event)),
  )

/** Collects events into one result; keeps at most `maxOutputBytes` of each output. */
const collectResult = (
  events: Stream.Stream<EventWithId, JournalError>,
  maxOutputBytes: number,
): Effect.Effect<ShellOutput, ShellFault | JournalError> =>
  Effect.suspend(() => {
    const kept = { stdout: new HeadTailBuffer(maxOutputBytes), stderr: new HeadTailBuffer(maxOutputBytes) }
    let last: ShellOutput | ShellFault | undefined
    const take = ({ event }: EventWithId): Effect.Effect<void> =>
      Effect.sync(() => {
        if (event._tag === "ShellOutputChunk") kept[event.stream].push(encodeUtf8(event.content))
        else last = event
      })
    return Effect.flatMap(Stream.runForEach(events, take), (): Effect.Effect<ShellOutput, ShellFault> => {
      if (last === undefined) return Effect.die(new Error("the command has no end event"))
      if (last._tag === "ShellFault") return Effect.fail(last)
      // Without chunks, the result has the whole output.
      if (kept.stdout.bytes + kept.stderr.bytes === 0) return Effect.succeed(last)
      const [stdout, stderr] = [kept.stdout.take("utf-8"), kept.stderr.take("utf-8")]
      return Effect.succeed({
        ...last,
        stdout: stdout.text,
        stderr: stderr.text,
        stdoutBytesOmitted: stdout.bytesOmitted,
        stderrBytesOmitted: stderr.bytesOmitted,
      })
    })
  })

export const makeJournalResponder = (
  { keepAlive, maxOutputBytes, retryAfterSeconds, runs }: ShellServer,
): (options: JournalResponseOptions) => Promise<Response> => {
  /** Ends the command if its host is lost: this may be the only process that checks. */
  const check = ({ journal, record }: JournalResponseOptions): Effect.Effect<void> =>
    record.endPosition !== undefined || runs.running.has(record.commandId) ? Effect.void : Effect.gen(function* () {
      const now = yield* Effect.provideService(commandById(record.commandId), Journal, journal)
      if (now?.state._tag !== "Lost") return
      yield* endLost(yield* Effect.tryPromise(runs.services), now)
    }).pipe(Effect.catch((error) => Effect.logWarning(error.message)))

  return async (options) => {
    const { after, headers, isFresh = false, isReplay = false, journal, policy, reader, record, signal, type } = options
    const { commandId, exec } = record
    const end = (): void => {
      reader?.detach()
      options.onSent()
    }
    if (!isFresh) await runPromise(check(options))
    const refused = (error: JournalError): Response => {
      end()
      return problemResponse(refuseJournal(error), headers)
    }
    if (exec === undefined) return refused(pruned(record.position))
    const opened = isFresh
      ? Result.succeed(playEvents(journal, { ...record, exec }))
      : await runPromise(Effect.result(commandEvents(journal, { ...record, exec }, after)))
    if (Result.isFailure(opened)) return refused(opened.failure)
    const numbered = reader === undefined ? opened.success : Stream.map(opened.success, (item) => {
      reader.advanceTo(item.id)
      return item
    })
    return await sendEvents({
      commandId,
      events: asRun(exec, numbered),
      numbered: isReplay ? undefined : numbered,
      result: collectResult(numbered, options.maxOutputBytes ?? maxOutputBytes ?? defaultMaxOutputBytes),
      isLive: false,
      fork: (effect) => {
        const fiber = runs.forkReader(effect)
        fiber.addObserver(end)
        interruptOnAbort(fiber, signal)
        return fiber
      },
    }, {
      type,
      policy,
      headers,
      keepAlive: { every: keepAlive, check: check(options) },
      // An ended command answers without delay; a running one may be silent for long.
      waits: isReplay || record.endPosition !== undefined,
      refuse: (exit) =>
        Exit.isSuccess(exit)
          ? new Response(null, { status: 204, headers: { ...responseHeaders, ...headers } })
          : problemResponse(refuseCause(commandId, exit.cause, retryAfterSeconds), headers),
    })
  }
}
