/**
 * A typed client of an execution server.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { CommandId } from "../command/CommandId.ts"
import { ShellOutput, type ShellOutputChunk } from "../command/ShellEvent.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { brokeOff, decodeAnswer, fetching, type ShellHttpClientOptions } from "./fetching.ts"
import { HttpError } from "./HttpError.ts"
import { decodeNdjson, NDJSON_TYPE } from "./ndjson.ts"
import {
  CommandAccepted,
  CommandInfo,
  CommandPage,
  type CommandStateName,
  Health,
  InputTaken,
  type RunSettings,
} from "./protocol.ts"
import type { NumberedEvent } from "./sse.ts"

export type { ShellHttpClientOptions } from "./fetching.ts"

/** What can go wrong with a request about a command. */
export type ClientError = HttpError | ShellFault

/** Which commands to list. */
export interface CommandQuery {
  /** Any of these; `open` is those of which more may come. Default: all. */
  readonly state?: ReadonlyArray<CommandStateName | "open"> | undefined
  /** Asked for at this time or later, milliseconds since 1970. */
  readonly since?: number | undefined
  /** Asked for before this time. */
  readonly until?: number | undefined
  /** A pattern for the program or the line: `*`, `?`, `[a-z]`. */
  readonly command?: string | undefined
  /** At most so many, up to 500. Default: 50. */
  readonly limit?: number | undefined
  /** The `next` of the page before. */
  readonly before?: string | undefined
}

/** How a command is to be run. */
export interface ExecSettings extends Pick<RunSettings, "lingerMillis" | "stdin"> {
  /** Called with the first answer: the command is in the server's journal. */
  readonly onAccepted?: (() => void) | undefined
}

/** Talks to an execution server. */
export interface ShellHttpClient {
  /** Runs a command to its end; the whole output is in the result. */
  readonly run: (exec: ShellExec) => Effect.Effect<ShellOutput, ClientError>
  /**
   * Runs a command, and brings what a leaf would bring. Closing the stream ends the command.
   *
   * With `lingerMillis` a connection that is lost is made anew, for as long as that: nothing is missed, nothing comes
   * twice, and the command has not noticed. The command runs once, however often it is asked for.
   */
  readonly exec: (
    exec: ShellExec,
    settings?: ExecSettings,
  ) => Stream.Stream<ShellOutputChunk | ShellOutput, ClientError>
  /** Starts a command that runs on by itself. */
  readonly detach: (
    exec: ShellExec,
    settings?: Pick<RunSettings, "stdin">,
  ) => Effect.Effect<CommandAccepted, ClientError>
  /** Commands, the newest first. */
  readonly commands: (query?: CommandQuery) => Effect.Effect<CommandPage, ClientError>
  /** One command. */
  readonly command: (id: CommandId) => Effect.Effect<CommandInfo, ClientError>
  /** The events of a command whose ids are beyond `after`, over one connection; a fault is the last one. */
  readonly events: (id: CommandId, after?: number) => Stream.Stream<NumberedEvent, ClientError>
  /** The same, over as many connections as it takes; each may be looked for as long as `patienceMillis`. */
  readonly follow: (
    id: CommandId,
    patienceMillis: number,
    after?: number,
  ) => Stream.Stream<NumberedEvent, ClientError>
  /** Bytes for stdin, answered when the command took them. With `offset` they may be sent again. */
  readonly input: (
    id: CommandId,
    bytes: Uint8Array<ArrayBuffer>,
    settings?: { readonly offset?: number | undefined; readonly end?: boolean | undefined },
  ) => Effect.Effect<InputTaken, ClientError>
  /** Begins to end a command. */
  readonly cancel: (
    id: CommandId,
    settings?: { readonly force?: boolean | undefined },
  ) => Effect.Effect<CommandInfo, ClientError>
  /** Whether the server takes commands. */
  readonly health: Effect.Effect<Health, ClientError>
}

const encodeExec = Schema.encodeSync(ShellExec)

const isOfEvents = (event: NumberedEvent["event"]): event is ShellOutputChunk | ShellOutput | ShellFault =>
  event._tag !== "Window"

/** Gives events their ids: the number of a chunk, and one more for what ends the run. */
const numbered = (after: number | undefined) => {
  let next = (after ?? -1) + 1
  return (event: NumberedEvent["event"]): NumberedEvent => {
    const id = event._tag === "ShellOutputChunk" ? event.seq : next
    next = id + 1
    return { id, event }
  }
}

/** Whether another try may succeed: the server is away, or is coming back. */
const mayPass = (error: ClientError): boolean =>
  error._tag === "HttpError" &&
  (error.reason === "Unreachable" || [429, 502, 503, 504].includes(error.status ?? 0))

/** Time for a request that nobody waits for. */
const farewell = "5 seconds"

const firstPauseMillis = 50
const longestPauseMillis = 1_000

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
    Stream.unwrap(Effect.map(ask({ ...asked, accept: NDJSON_TYPE }), (response) => {
      onAccepted?.()
      const { body, status } = response
      // The reader has all of it.
      if (status === 204 || body === null) return Stream.empty
      const bytes = Stream.fromReadableStream({ evaluate: () => body, onError: brokeOff })
      return decodeNdjson(bytes).pipe(
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

  const events = (id: CommandId, after?: number): Stream.Stream<NumberedEvent, ClientError> =>
    eventsOf({ method: "GET", path: `${pathOf(id)}/events`, query: { after } }, after)

  const cancel: ShellHttpClient["cancel"] = (id, { force = false } = {}) =>
    answered(CommandInfo, { method: "DELETE", path: pathOf(id), query: { force: force ? true : undefined } })

  /** Reads on over the next connection while that may help. `from` makes one, after an event that was had. */
  const reconnecting = (
    from: (after: number | undefined) => Stream.Stream<NumberedEvent, ClientError>,
    patienceMillis: number,
    start: number | undefined,
  ): Stream.Stream<NumberedEvent, ClientError> =>
    Stream.suspend(() => {
      let after = start
      let pause = firstPauseMillis
      let since: number | undefined
      const connect = (): Stream.Stream<NumberedEvent, ClientError> =>
        from(after).pipe(
          Stream.map((one) => {
            after = one.id
            pause = firstPauseMillis
            since = undefined
            return one
          }),
          Stream.catch((error) =>
            Stream.unwrap(Effect.gen(function* () {
              const now = yield* Clock.currentTimeMillis
              since ??= now
              if (!mayPass(error) || now - since >= patienceMillis) return Stream.fail(error)
              const wait = error._tag === "HttpError" ? error.retryAfterMillis ?? pause : pause
              yield* Effect.sleep(Math.min(wait, patienceMillis))
              pause = Math.min(2 * pause, longestPauseMillis)
              return connect()
            }))
          ),
        )
      return connect()
    })

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
      const begin = eventsOf({ method: "POST", path: "exec", type: "application/json", body }, undefined, tell)
      if (lingerMillis === 0) return asLeaf(begin)
      const from = (after: number | undefined) => after === undefined ? begin : events(exec.commandId, after)
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
    events,
    follow: (id, patienceMillis, after) => reconnecting((last) => events(id, last), patienceMillis, after),
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
