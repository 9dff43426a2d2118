/**
 * A typed client of an execution server.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { CommandId } from "../command/CommandId.ts"
import { ShellOutput, type ShellOutputChunk } from "../command/ShellEvent.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { brokeOff, decodeAnswer, fetching, type ShellHttpClientOptions } from "./fetching.ts"
import type { ClientError, ShellHttpClient } from "./HttpClient.ts"
import { HttpError } from "./HttpError.ts"
import { decodeFrames, FRAMES_TYPE } from "./frames.ts"
import { decodeNdjson, NDJSON_TYPE } from "./ndjson.ts"
import { CommandAccepted, CommandInfo, CommandPage, Health, InputTaken, type RunSettings } from "./protocol.ts"
import { numbered, reconnecting } from "./reconnecting.ts"
import type { NumberedEvent } from "./sse.ts"

export type { ShellHttpClientOptions } from "./fetching.ts"
export type { ClientError, CommandQuery, ExecSettings, ShellHttpClient } from "./HttpClient.ts"

const encodeExec = Schema.encodeSync(ShellExec)

const isOfEvents = (event: NumberedEvent["event"]): event is ShellOutputChunk | ShellOutput | ShellFault =>
  event._tag !== "Window"

/** How events may come. */
const eventTypes = `${FRAMES_TYPE}, ${NDJSON_TYPE};q=0.5`

/** Time for a request that nobody waits for. */
const farewell = "5 seconds"

/**
 * Makes a client. It keeps nothing, and needs nothing but `fetch`: it works on an edge isolate too.
 *
 * @example
 * ```ts
 * import { LocalShell, ShellExec } from "@sluice/shell"
 * import { shellRoutes } from "@sluice/shell/http"
 * import { makeShellHttpClient } from "@sluice/shell/wire"
 * import { Effect, Stream } from "effect"
 *
 * await using routes = shellRoutes({ layer: LocalShell.layer, token: "s3cret" })
 * const client = makeShellHttpClient({
 *   url: "http://localhost/",
 *   token: "s3cret",
 *   fetch: async (request) => await routes.fetch(request)   // leave it out to go through the network
 * })
 * const events = client.exec(ShellExec.make("echo", ["hello"], { commandId: "c1" }))
 * const last = (await Effect.runPromise(Stream.runCollect(events))).at(-1)
 * console.assert(last?._tag === "ShellOutput" && last.exitCode === 0)
 * console.assert((await Effect.runPromise(client.command("c1"))).state === "exited")
 * ```
 */
export const makeShellHttpClient = (options: ShellHttpClientOptions): ShellHttpClient => {
  const ask = fetching(options)
  const pathOf = (id: CommandId): string => `commands/${encodeURIComponent(id)}`
  const answered = <A>(schema: Schema.Codec<A>, asked: Parameters<typeof ask>[0]): Effect.Effect<A, ClientError> =>
    Effect.scoped(Effect.flatMap(ask(asked), decodeAnswer(schema)))

  const bodyOf = (exec: ShellExec, settings: RunSettings): string =>
    JSON.stringify({ ...encodeExec(exec), ...settings })

  const eventsOf = (
    asked: Parameters<typeof ask>[0],
    after: number | undefined,
    onAccepted?: () => void,
  ): Stream.Stream<NumberedEvent, ClientError> =>
    Stream.unwrap(Effect.map(ask({ ...asked, accept: eventTypes }), (response) => {
      onAccepted?.()
      const { body, status } = response
      // The reader has all of it.
      if (status === 204 || body === null) return Stream.empty
      const bytes = Stream.fromReadableStream({ evaluate: () => body, onError: brokeOff })
      const isFrames = response.headers.get("content-type")?.startsWith(FRAMES_TYPE) === true
      return (isFrames ? decodeFrames(bytes) : decodeNdjson(bytes)).pipe(
        Stream.mapError((error) =>
          error._tag === "HttpError"
            ? error
            : error.reason === "Truncated"
            ? brokeOff(error.message)
            : new HttpError({ reason: "Malformed", message: `http: ${error.message}` })
        ),
        Stream.map(numbered(after)),
      )
    }))

  const events = (id: CommandId, after?: number, onOpen?: () => void): Stream.Stream<NumberedEvent, ClientError> =>
    eventsOf({ method: "GET", path: `${pathOf(id)}/events`, query: { after } }, after, onOpen)

  const cancel: ShellHttpClient["cancel"] = (id, { force = false } = {}) =>
    answered(CommandInfo, { method: "DELETE", path: pathOf(id), query: { force: force ? true : undefined } })

  const asLeaf = (
    all: Stream.Stream<NumberedEvent, ClientError>,
  ): Stream.Stream<ShellOutputChunk | ShellOutput, ClientError> =>
    all.pipe(
      Stream.map(({ event }) => event),
      Stream.filter(isOfEvents),
      Stream.mapEffect((event) => event._tag === "ShellFault" ? Effect.fail(event) : Effect.succeed(event)),
    )

  return {
    run: (exec) =>
      answered(ShellOutput, {
        method: "POST",
        path: "exec",
        accept: "application/json",
        type: "application/json",
        body: bodyOf(exec, {}),
      }),
    exec: (exec, { lingerMillis = 0, onAccepted, stdin = "closed" } = {}) => {
      let accepted = false
      const tell = (): void => {
        if (!accepted) onAccepted?.()
        accepted = true
      }
      const body = bodyOf(exec, lingerMillis > 0 ? { lingerMillis, stdin } : { stdin })
      const begin = (onOpen?: () => void) =>
        eventsOf({ method: "POST", path: "exec", type: "application/json", body }, undefined, () => {
          tell()
          onOpen?.()
        })
      if (lingerMillis === 0) return asLeaf(begin())
      const from = (after: number | undefined, onOpen: () => void) =>
        after === undefined ? begin(onOpen) : events(exec.commandId, after, onOpen)
      return Stream.suspend(() => {
        let ended = false
        const all = Stream.map(reconnecting(from, lingerMillis, undefined), (one) => {
          ended = one.event._tag !== "ShellOutputChunk"
          return one
        })
        // Nobody will come back for it: it need not linger.
        const give = Effect.suspend(() => ended || !accepted ? Effect.void : cancel(exec.commandId))
        return Stream.ensuring(asLeaf(all), Effect.ignore(Effect.timeoutOption(give, farewell)))
      })
    },
    detach: (exec, { stdin = "closed" } = {}) =>
      answered(CommandAccepted, {
        method: "POST",
        path: "exec",
        type: "application/json",
        body: bodyOf(exec, { detached: true, stdin }),
      }),
    commands: ({ state, ...query } = {}) =>
      answered(CommandPage, { method: "GET", path: "commands", query: { ...query, state: state?.join(",") } }),
    command: (id) => answered(CommandInfo, { method: "GET", path: pathOf(id) }),
    events: (id, after) => events(id, after),
    follow: (id, patienceMillis, after) =>
      reconnecting((last, onOpen) => events(id, last, onOpen), patienceMillis, after),
    input: (id, bytes, { end, offset } = {}) =>
      answered(InputTaken, {
        method: "POST",
        path: `${pathOf(id)}/input`,
        query: { offset, end: end === true ? true : undefined },
        type: "application/octet-stream",
        body: bytes,
      }),
    cancel,
    health: answered(Health, { method: "GET", path: "health" }),
  }
}
