/**
 * Responds with the journaled and future events of a command as a stream, windows or one result, or with a problem;
 * ends a command whose host is lost.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { runPromise } from "../base/stderrLogs.ts"
import { interruptOnAbort } from "../base/abort.ts"
import { emptyBytes, encodeUtf8 } from "../base/bytes.ts"
import type * as Duration from "effect/Duration"
import type { CommandRecord } from "../history/CommandRecord.ts"
import { commandById } from "../history/findCommand.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import { makeJournalFault } from "../compute/makeJournalFault.ts"
import { apply } from "../window/apply.ts"
import type { Policy } from "../window/Policy.ts"
import { encodeEvent } from "../wire/mod.ts"
import * as Sse from "../wire/sse.ts"
import { commandEvents, type EventWithId } from "./commandEvents.ts"
import { eventFormats } from "./eventForms.ts"
import { responseHeaders, streamResponseHeaders } from "./headers.ts"
import type { AttachedReader } from "./DisconnectGrace.ts"
import { JSON_TYPE, type ResponseType } from "./negotiate.ts"
import { collectResult, isFault } from "./collectResult.ts"
import { faultOf, problemResponse, type Refusal, refuseFault, refuseJournal } from "./problem.ts"
import { endLost } from "./endLostCommands.ts"
import type { RunSupervisor } from "./RunSupervisor.ts"
import { type Bytes, type KeepAlive, streamBody } from "./streamBody.ts"

/** Options of one response from the journal. */
export interface JournalResponseOptions {
  readonly journal: JournalService
  readonly record: CommandRecord
  readonly type: ResponseType
  readonly policy?: Policy | undefined
  /** The id of the last event that the client has. */
  readonly after?: number | undefined
  /**
   * Whether the response waits for the first event, and a fault that comes first becomes its status. Otherwise the
   * headers are sent at once while the command runs, a fault is an event, and a response without events is 204. A
   * single result is always waited for.
   */
  readonly waitForFirst: boolean
  readonly reader?: AttachedReader | undefined
  /** Maximum of bytes of each output in a single result. */
  readonly maxOutputBytes?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal: AbortSignal
  /** Called when the response has ended. */
  readonly onEnd: () => void
}

/** Settings of {@link makeJournalResponder}. */
export interface JournalResponderSettings {
  readonly maxOutputBytes: number | undefined
  readonly retryAfterSeconds: number
  readonly keepAlive: Duration.Duration
}

const defaultMaxOutputBytes = 64 * 1024 * 1024

/** An SSE message with a problem, after the events of a command. */
const problemMessage = (refusal: Refusal): Bytes =>
  encodeUtf8(`event: problem\ndata: ${JSON.stringify(refusal.problem)}\n\n`)

/** The events as a shell emits them, for the window operator. */
const asLeaf = (
  { exec }: CommandRecord,
  events: Stream.Stream<EventWithId, JournalError>,
): Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault> =>
  events.pipe(
    Stream.mapError((error) => exec === undefined ? undefined : makeJournalFault(exec, error, true)),
    Stream.catch((fault) => fault === undefined ? Stream.empty : Stream.fail(fault)),
    Stream.mapEffect(({ event }) => isFault(event) ? Effect.fail(event) : Effect.succeed(event)),
  )

/** Makes the function that responds with the events of a command, journaled and future ones. */
export const makeJournalResponder = (
  runs: RunSupervisor,
  { keepAlive, maxOutputBytes, retryAfterSeconds }: JournalResponderSettings,
): (options: JournalResponseOptions) => Promise<Response> => {
  /** Ends the command if its host is lost: this may be the only process that checks. */
  const check = ({ journal, record }: JournalResponseOptions): Effect.Effect<void> =>
    record.endPosition !== undefined || runs.running.has(record.commandId) ? Effect.void : Effect.gen(function* () {
      const now = yield* Effect.provideService(commandById(record.commandId), Journal, journal)
      if (now?.state._tag !== "Lost") return
      yield* endLost(yield* Effect.tryPromise(runs.services), now)
    }).pipe(Effect.catch((error) => Effect.logWarning(error.message)))

  const refused = (error: ShellFault | JournalError): Refusal =>
    error._tag === "ShellFault" ? refuseFault(error, retryAfterSeconds) : refuseJournal(error)

  return async (options) => {
    const { after, headers, journal, onEnd, policy, reader, record, signal, waitForFirst: strict, type } = options
    await runPromise(check(options))
    const opened = await runPromise(Effect.result(commandEvents(journal, record, after)))
    if (Result.isFailure(opened)) {
      reader?.detach()
      onEnd()
      return problemResponse(refuseJournal(opened.failure), headers)
    }
    const events = Stream.map(opened.success, (item) => {
      reader?.advanceTo(item.id)
      return item
    })

    const fork = <E>(effect: Effect.Effect<void, E>): Fiber.Fiber<void, E> => {
      const fiber = runs.forkReader(effect)
      fiber.addObserver(() => {
        reader?.detach()
        onEnd()
      })
      interruptOnAbort(fiber, signal)
      return fiber
    }

    if (type === JSON_TYPE) {
      let result: ShellOutput | undefined
      const collect = Effect.map(
        collectResult(events, options.maxOutputBytes ?? maxOutputBytes ?? defaultMaxOutputBytes),
        (output) => void (result = output),
      )
      const exit = await new Promise<Exit.Exit<void, ShellFault | JournalError>>((resolve) => {
        fork(collect).addObserver(resolve)
      })
      if (result !== undefined) {
        return new Response(encodeEvent(result), { headers: { ...responseHeaders, ...headers, "content-type": type } })
      }
      const error = Exit.isFailure(exit) ? Cause.findError(exit.cause) : undefined
      return problemResponse(
        error !== undefined && Result.isSuccess(error)
          ? refused(error.success)
          : refuseFault(faultOf(record.commandId, Cause.interrupt()), retryAfterSeconds),
      )
    }

    const { encode, encodeWithIds, keepAlive: keepAliveBytes } = eventFormats[type]
    const keep: KeepAlive = {
      bytes: keepAliveBytes,
      every: keepAlive,
      check: check(options),
    }
    const respond = (body: ReadableStream<Bytes>): Response =>
      new Response(body, { headers: { ...streamResponseHeaders, ...headers, "content-type": type } })

    // An ended command answers without delay; a running one may be silent for long, so its headers are sent at once.
    const waits = strict || record.endPosition !== undefined
    const opening = waits ? undefined : keep.bytes

    if (policy !== undefined) {
      const { begun, body } = streamBody({
        pieces: apply(asLeaf(record, events), policy),
        encode,
        encodeFailure: (cause: Cause.Cause<ShellFault>) =>
          Cause.hasInterruptsOnly(cause) ? emptyBytes : encode([faultOf(record.commandId, cause)]),
        fork,
        keepAlive: keep,
        opening,
      })
      if (!waits) return respond(body)
      const exit = await begun
      const error = Exit.isFailure(exit) ? Cause.findError(exit.cause) : undefined
      return error !== undefined && Result.isSuccess(error) ? problemResponse(refused(error.success)) : respond(body)
    }

    let first: EventWithId | undefined
    const { begun, body } = streamBody({
      pieces: events,
      encode: (some) => {
        first ??= some[0]
        return encodeWithIds(some)
      },
      encodeFailure: (cause: Cause.Cause<JournalError>) => {
        const error = Cause.findError(cause)
        if (Cause.hasInterruptsOnly(cause)) return emptyBytes
        return Result.isSuccess(error) && type === Sse.mediaType
          ? problemMessage(refuseJournal(error.success))
          : undefined
      },
      fork,
      keepAlive: keep,
      opening,
    })
    if (waits) {
      const exit = await begun
      const error = Exit.isFailure(exit) ? Cause.findError(exit.cause) : undefined
      if (error !== undefined && Result.isSuccess(error)) return problemResponse(refused(error.success))
      if (Exit.isSuccess(exit) && !exit.value && !strict) {
        return new Response(null, { status: 204, headers: { ...responseHeaders, ...headers } })
      }
      if (strict && first !== undefined && isFault(first.event)) {
        await body.cancel()
        return problemResponse(refused(first.event), headers)
      }
    }
    return respond(body)
  }
}
