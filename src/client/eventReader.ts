/** Requests and decodes the events of a command; probes the server until the response arrives. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { CommandInfo } from "../wire/CommandInfo.ts"
import * as Frames from "../wire/frames.ts"
import * as Ndjson from "../wire/ndjson.ts"
import type { HttpTransport } from "./HttpTransport.ts"
import type { HttpRequestSpec } from "./requestTarget.ts"
import { type CommandEvent, orderedEvents } from "./orderedEvents.ts"
import type { RemoteError } from "./RemoteError.ts"
import { bodyBytes } from "./responseBody.ts"

const eventTypes = `${Frames.mediaType}, ${Ndjson.mediaType};q=0.5`

export interface EventReading {
  readonly id: CommandId
  readonly after?: number | undefined
  /** Whether `after` may be the very last event, so that an empty answer is complete. */
  readonly mayBeComplete?: boolean | undefined
  /** Whether the server sends keep-alives: it does when it reads the events from its journal. */
  readonly hasKeepAlive: boolean
  readonly onOpen?: (() => void) | undefined
}

/** Whether the server answers, but does not let this client read its commands. */
const mayNotLook = (error: RemoteError | ShellFault): boolean =>
  error._tag === "RemoteError" && error.reason._tag === "Refused" && error.reason.problem !== undefined &&
  [401, 403, 429].includes(error.reason.status)

type CommandEvents = Stream.Stream<CommandEvent, RemoteError | ShellFault>

export interface EventReader {
  /** The events in the response to a request. */
  readonly eventsOf: (request: HttpRequestSpec, reading: EventReading) => CommandEvents
  /** The events of a command, from a position. */
  readonly commandEvents: (reading: Omit<EventReading, "hasKeepAlive">, withinMillis?: number) => CommandEvents
}

export const commandPath = (id: CommandId): string => `commands/${encodeURIComponent(id)}`

export const makeEventReader = (
  { brokenOff, idleTimeoutMillis, malformed, maxAnswerBytes, noAnswer, send, sendAndDecode }: HttpTransport,
): EventReader => {
  /**
   * Sends a request for events. A proxy may hold the response back until it is complete, so the client regularly asks
   * whether the server knows the command, and gives up only if this question is not answered in time.
   */
  const sendPatiently = (
    spec: HttpRequestSpec,
    id: CommandId,
  ): Effect.Effect<Response, RemoteError | ShellFault, Scope.Scope> => {
    const limitMillis = Math.min(spec.withinMillis ?? idleTimeoutMillis, idleTimeoutMillis)
    const look = sendAndDecode(CommandInfo, {
      method: "GET",
      path: commandPath(id),
      commandId: id,
      withinMillis: limitMillis / 2,
    })
    const watch: Effect.Effect<never, RemoteError | ShellFault> = Effect.suspend(() =>
      Effect.andThen(
        Effect.sleep(limitMillis / 2),
        Effect.matchEffect(look, {
          onSuccess: () => watch,
          onFailure: (error) => mayNotLook(error) ? watch : Effect.fail(noAnswer(spec, limitMillis)),
        }),
      )
    )
    return Effect.raceFirst(send({ ...spec, withinMillis: Infinity }), watch)
  }

  const eventsOf: EventReader["eventsOf"] = (
    request,
    { after, hasKeepAlive, id, mayBeComplete = false, onOpen },
  ) => {
    const spec: HttpRequestSpec = { ...request, accept: eventTypes }
    return Stream.unwrap(Effect.map(hasKeepAlive ? sendPatiently(spec, id) : send(spec), (response) => {
      const { body, headers, status } = response
      const type = headers.get("content-type") ?? ""
      if (type.startsWith("text/html")) return Stream.fail(malformed(spec, "the response is a web page, not events"))
      onOpen?.()
      if (status === 204 && mayBeComplete) return Stream.empty
      if (body === null) return Stream.fail(brokenOff(spec, "it was empty"))
      const bytes = Stream.mapError(
        bodyBytes(body, hasKeepAlive ? idleTimeoutMillis : Infinity, true),
        (failure) => brokenOff(spec, failure),
      )
      const decodeEvents = type.startsWith(Frames.mediaType) ? Frames.decode : Ndjson.decode
      const events = Stream.mapError(
        decodeEvents(bytes, { maxLineBytes: maxAnswerBytes }),
        (error) =>
          error._tag === "RemoteError"
            ? error
            : error.reason._tag === "Truncated"
            ? brokenOff(spec, error.message)
            : malformed(spec, error.message),
      )
      return orderedEvents(events, id, after, (problem) => malformed(spec, problem))
    }))
  }

  const commandEvents: EventReader["commandEvents"] = (reading, withinMillis) => {
    const { after, id } = reading
    const spec: HttpRequestSpec = {
      method: "GET",
      path: `${commandPath(id)}/events`,
      commandId: id,
      query: { after },
      withinMillis,
    }
    return eventsOf(spec, { ...reading, hasKeepAlive: true })
  }
  return { commandEvents, eventsOf }
}
