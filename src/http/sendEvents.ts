/** Responds with the events of a command, live or from the journal: as a stream, as windows or as one result. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as Stream from "effect/Stream"
import { runPromise } from "../base/stderrLogs.ts"
import { emptyBytes, encodeUtf8 } from "../base/bytes.ts"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellEvent, ShellFault } from "../command/ShellFault.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { apply } from "../window/apply.ts"
import type { Policy } from "../window/Policy.ts"
import { encodeEvent } from "../wire/mod.ts"
import * as Sse from "../wire/sse.ts"
import type { EventWithId } from "../wire/sse.ts"
import { responseHeaders, streamResponseHeaders } from "./headers.ts"
import { type EventsType, jsonType, type ResponseType } from "./negotiate.ts"
import { faultOf, refuseJournal } from "./problem.ts"
import { type Bytes, type KeepAlive, streamBody } from "./streamBody.ts"
import * as Frames from "../wire/frames.ts"
import * as Ndjson from "../wire/ndjson.ts"

interface EventFormat {
  readonly encode: (events: ReadonlyArray<ShellEvent>) => Bytes
  readonly encodeWithIds: (events: ReadonlyArray<EventWithId>) => Bytes
  readonly keepAlive: Bytes
}

const withoutIds = (encode: EventFormat["encode"]): EventFormat["encodeWithIds"] => (events) =>
  encode(events.map(({ event }) => event))

const eventFormats: Readonly<Record<EventsType, EventFormat>> = {
  [Sse.mediaType]: {
    encode: Sse.toBytes,
    encodeWithIds: Sse.toBytesWithIds,
    keepAlive: encodeUtf8(": keep-alive\n\n"),
  },
  [Ndjson.mediaType]: {
    encode: Ndjson.toBytes,
    encodeWithIds: withoutIds(Ndjson.toBytes),
    keepAlive: encodeUtf8("\n"),
  },
  [Frames.mediaType]: {
    encode: Frames.toBytes,
    encodeWithIds: withoutIds(Frames.toBytes),
    keepAlive: Frames.keepAlive,
  },
}

/**
 * Encodes the events of a run with the ids that its journal's readers get: the `seq` of a chunk, `toSeq` of a window, and one
 * more for the event that ends the run. `first` is the id of an end without chunks, if it is known.
 */
const encodeNumbered = ({ encode, encodeWithIds }: EventFormat, first: number | undefined): EventFormat["encode"] => {
  let next = first
  return (events) => {
    const numbered = events.flatMap((event) => {
      const seq = event._tag === "ShellOutputChunk" ? event.seq : event._tag === "Window" ? event.toSeq : undefined
      const id = seq ?? next
      if (seq !== undefined) next = seq + 1
      return id === undefined ? [] : [{ id, event }]
    })
    return numbered.length === events.length ? encodeWithIds(numbered) : encode(events)
  }
}

export type RunEvents = Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault>

export interface EventSource {
  readonly commandId: CommandId
  readonly events: RunEvents
  /** The events with their ids and a fault as an event, for responses without windows. Default: `events`. */
  readonly numbered?: Stream.Stream<EventWithId, JournalError> | undefined
  readonly result: Effect.Effect<ShellOutput, ShellFault | JournalError>
  /** Whether the events are those of the run itself: then the end of the reader is a fault of the command. */
  readonly isLive: boolean
  readonly fork: <E>(run: Effect.Effect<void, E>) => Fiber.Fiber<void, E>
}

export interface EventDelivery {
  readonly type: ResponseType
  readonly policy: Policy | undefined
  /** Whether the response waits for the first event. Otherwise its headers are sent at once. A result is waited for. */
  readonly waits: boolean
  /** Keep-alives of the source, sent as the bytes of the media type. */
  readonly keepAlive?: Omit<KeepAlive, "bytes"> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Makes the response to a failure, or to an end, before the first event. */
  readonly refuse: (exit: Exit.Exit<unknown, ShellFault | JournalError>) => Response | Promise<Response>
}

export const sendEvents = async (
  { commandId, events, fork, isLive, numbered, result }: EventSource,
  { headers, keepAlive, policy, refuse, type, waits }: EventDelivery,
): Promise<Response> => {
  if (type === jsonType) {
    let output: ShellOutput | undefined
    const collect = Effect.map(result, (collected) => void (output = collected))
    const exit = await runPromise(Fiber.await(fork(collect)))
    return output === undefined
      ? await refuse(exit)
      : new Response(encodeEvent(output), { headers: { ...responseHeaders, ...headers, "content-type": type } })
  }
  const format = eventFormats[type]
  const { encodeWithIds, keepAlive: silence } = format
  // Events with ids of their own may begin after the first.
  const encode = encodeNumbered(format, numbered === undefined ? 0 : undefined)
  const settings = {
    keepAlive: keepAlive && { ...keepAlive, bytes: silence },
    opening: waits ? undefined : silence,
    fork,
  }
  const { begun, body } = numbered === undefined || policy !== undefined
    ? streamBody<ShellEvent, ShellFault>({
      ...settings,
      pieces: policy === undefined ? events : apply(events, policy),
      encode,
      encodeFailure: (cause) =>
        !isLive && Cause.hasInterruptsOnly(cause) ? emptyBytes : encode([faultOf(commandId, cause)]),
    })
    : streamBody<EventWithId, JournalError>({
      ...settings,
      pieces: numbered,
      encode: encodeWithIds,
      encodeFailure: (cause) => {
        if (Cause.hasInterruptsOnly(cause)) return emptyBytes
        const error = Cause.findError(cause)
        return Result.isSuccess(error) && type === Sse.mediaType ? problemMessage(error.success) : undefined
      },
    })
  const exit: Exit.Exit<boolean, ShellFault | JournalError> = waits ? await begun : Exit.succeed(true)
  return Exit.isSuccess(exit) && exit.value
    ? new Response(body, { headers: { ...streamResponseHeaders, ...headers, "content-type": type } })
    : await refuse(exit)
}

const problemMessage = (error: JournalError): Bytes =>
  encodeUtf8(`event: problem\ndata: ${JSON.stringify(refuseJournal(error).problem)}\n\n`)
