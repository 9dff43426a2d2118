/**
 * A typed client of an execution server.
 *
 * @module
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { CommandId } from "../command/CommandId.ts"
import { ShellOutput, type ShellOutputChunk } from "../command/ShellEvent.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { failOnFault } from "../wire/failOnFault.ts"
import { type Asked, fetching, type ShellHttpClientOptions } from "./fetching.ts"
import { decodeFrames, framesMediaType } from "../wire/frames.ts"
import type { ClientError, ShellHttpClient } from "./HttpClient.ts"
import { type CommandEvent, inOrder } from "./inOrder.ts"
import { decodeNdjson, ndjsonMediaType } from "../wire/ndjson.ts"
import {
  CommandAccepted,
  CommandInfo,
  CommandPage,
  type ExecRequestOptions,
  Health,
  InputTaken,
} from "../wire/protocol.ts"
import { bytesOf } from "./reading.ts"
import { type Connect, reconnecting } from "./reconnecting.ts"
import { isPlain, plainSecretsFault, secretsIn } from "../wire/secrets.ts"

export type { ShellHttpClientOptions } from "./fetching.ts"
export type { ClientError, CommandQuery, ExecSettings, ShellHttpClient } from "./HttpClient.ts"

const encodeExec = Schema.encodeSync(ShellExec)

/** How events may come. */
const eventTypes = `${framesMediaType}, ${ndjsonMediaType};q=0.5`

/** How the events of an answer are read. */
interface Reading {
  readonly id: CommandId
  /** The number of the last event that the reader has. */
  readonly after?: number | undefined
  /** Whether that may be the last there is: then an answer without events is none that broke off. */
  readonly hasAll?: boolean | undefined
  /** Whether the server says something every now and then: so it is with what comes from its journal. */
  readonly isNeverSilent: boolean
  readonly onOpen?: (() => void) | undefined
}

/** Whether the server is there, but does not tell this client of its commands. */
const mayNotLook = (error: ClientError): boolean =>
  error._tag === "HttpError" && error.problem !== undefined && [401, 403, 429].includes(error.status ?? 0)

/** Time for a request that nobody waits for. */
const farewell = "5 seconds"

/**
 * Makes a client. It keeps nothing, and needs nothing but `fetch`: it works on an edge isolate too.
 *
 * @example
 * ```ts
 * import { LocalShell, ShellExec } from "@sluice/shell"
 * import { shellRoutes } from "@sluice/shell/http"
 * import { makeShellHttpClient } from "@sluice/shell/remote"
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
  const { ask, brokeOff, decode, malformed, maxAnswerBytes, noAnswer, silenceMillis } = fetching(options)
  const pathOf = (id: CommandId): string => `commands/${encodeURIComponent(id)}`
  const answered = <A>(schema: Schema.Codec<A>, asked: Asked): Effect.Effect<A, ClientError> =>
    Effect.scoped(Effect.flatMap(ask(asked), decode(schema, asked)))

  /** The request that runs a command; a command with secrets has none where they could be read on the way. */
  const requestOf = (
    exec: ShellExec,
    settings: Omit<ExecRequestOptions, "secrets">,
    more: Pick<Asked, "accept" | "withinMillis">,
  ): Effect.Effect<Asked, ShellFault> =>
    Effect.suspend(() => {
      const secrets = secretsIn(exec)
      if (secrets !== undefined && options.plainSecrets !== true && isPlain(options.url)) {
        return Effect.fail(plainSecretsFault(exec, options.url))
      }
      const body = JSON.stringify({ ...encodeExec(exec), ...settings, ...(secrets === undefined ? {} : { secrets }) })
      return Effect.succeed({
        method: "POST",
        path: "exec",
        about: exec.commandId,
        type: "application/json",
        body,
        ...more,
      })
    })

  /**
   * An answer with events. Something on the way may keep it back until it ends: so it is waited for while the server says
   * that it knows the command, and is only then no answer when it does not say so in time.
   */
  const opened = (asked: Asked, id: CommandId): Effect.Effect<Response, ClientError, Scope.Scope> => {
    const within = Math.min(asked.withinMillis ?? silenceMillis, silenceMillis)
    const known = answered(CommandInfo, { method: "GET", path: pathOf(id), about: id, withinMillis: within / 2 })
    const watch: Effect.Effect<never, ClientError> = Effect.suspend(() =>
      Effect.andThen(
        Effect.sleep(within / 2),
        Effect.matchEffect(known, {
          onSuccess: () => watch,
          onFailure: (error) => mayNotLook(error) ? watch : Effect.fail(noAnswer(asked, within)),
        }),
      )
    )
    return Effect.raceFirst(ask({ ...asked, withinMillis: Infinity }), watch)
  }

  const eventsOf = (
    asked: Asked,
    { after, hasAll = false, id, isNeverSilent, onOpen }: Reading,
  ): Stream.Stream<CommandEvent, ClientError> =>
    Stream.unwrap(Effect.map((isNeverSilent ? opened : ask)({ ...asked, accept: eventTypes }, id), (response) => {
      const { body, headers, status } = response
      if (headers.get("content-type")?.startsWith("text/html") === true) {
        return Stream.fail(malformed(asked, "the answer is a page, and no events"))
      }
      onOpen?.()
      if (status === 204 && hasAll) return Stream.empty
      if (body === null) return Stream.fail(brokeOff(asked, "there was nothing in it"))
      const bytes = Stream.mapError(
        bytesOf(body, isNeverSilent ? silenceMillis : Infinity),
        (why) => brokeOff(asked, why),
      )
      const isFrames = headers.get("content-type")?.startsWith(framesMediaType) === true
      const events = Stream.mapError(
        (isFrames ? decodeFrames : decodeNdjson)(bytes, { maxLineBytes: maxAnswerBytes }),
        (error) =>
          error._tag === "HttpError"
            ? error
            : error.reason === "Truncated"
            ? brokeOff(asked, error.message)
            : malformed(asked, error.message),
      )
      return inOrder(events, id, after, (what) => malformed(asked, what))
    }))

  const events = (
    reading: Omit<Reading, "isNeverSilent">,
    withinMillis?: number,
  ): Stream.Stream<CommandEvent, ClientError> => {
    const { after, id } = reading
    const asked: Asked = { method: "GET", path: `${pathOf(id)}/events`, about: id, query: { after }, withinMillis }
    return eventsOf(asked, { ...reading, isNeverSilent: true })
  }

  const cancel: ShellHttpClient["cancel"] = (id, { force = false } = {}) =>
    answered(CommandInfo, { method: "DELETE", path: pathOf(id), about: id, query: { force: force ? true : undefined } })

  const asLeaf = (
    all: Stream.Stream<CommandEvent, ClientError>,
  ): Stream.Stream<ShellOutputChunk | ShellOutput, ClientError> =>
    failOnFault(Stream.mapArray(all, (some) => Arr.map(some, ({ event }) => event)))

  return {
    run: (exec) =>
      Effect.flatMap(
        requestOf(exec, {}, { accept: "application/json", withinMillis: Infinity }),
        (asked) =>
          Effect.flatMap(answered(ShellOutput, asked), (output) =>
            output.commandId === exec.commandId
              ? Effect.succeed(output)
              : Effect.fail(malformed(asked, "it brought the output of another command"))),
      ),
    exec: (exec, { chunking, disconnectGraceMillis = 0, onAccepted, stdin = "closed" } = {}) => {
      const settings = { ...(chunking === undefined ? undefined : { chunking }), stdin }
      const id = exec.commandId
      let accepted = false
      const tell = (): void => {
        if (!accepted) onAccepted?.()
        accepted = true
      }
      if (disconnectGraceMillis === 0) {
        return asLeaf(Stream.unwrap(Effect.map(
          requestOf(exec, settings, { withinMillis: Infinity }),
          (asked) => eventsOf(asked, { id, isNeverSilent: false, onOpen: tell }),
        )))
      }
      const begin = (withinMillis: number, onOpen: () => void) =>
        Stream.unwrap(Effect.map(
          requestOf(exec, { ...settings, disconnectGraceMillis: disconnectGraceMillis }, { withinMillis }),
          (asked) =>
            eventsOf(asked, {
              id,
              isNeverSilent: true,
              onOpen: () => {
                tell()
                onOpen()
              },
            }),
        ))
      const from: Connect = (after, withinMillis, onOpen) =>
        after === undefined ? begin(withinMillis, onOpen) : events({ id, after, onOpen }, withinMillis)
      return Stream.suspend(() => {
        let ended = false
        const all = Stream.mapArray(reconnecting(from, disconnectGraceMillis, undefined), (some) => {
          ended = some.at(-1)?.event._tag !== "ShellOutputChunk"
          return some
        })
        // Nobody will come back for it: it need not linger.
        const give = Effect.suspend(() => ended || !accepted ? Effect.void : cancel(id))
        return Stream.ensuring(asLeaf(all), Effect.ignore(Effect.timeoutOption(give, farewell)))
      })
    },
    detach: (exec, { chunking, stdin = "closed" } = {}) =>
      Effect.flatMap(
        requestOf(exec, { ...(chunking === undefined ? undefined : { chunking }), detached: true, stdin }, {}),
        (asked) => answered(CommandAccepted, asked),
      ),
    commands: ({ state, ...query } = {}) =>
      answered(CommandPage, { method: "GET", path: "commands", query: { ...query, state: state?.join(",") } }),
    command: (id) => answered(CommandInfo, { method: "GET", path: pathOf(id), about: id }),
    events: (id, after) => events({ id, after, hasAll: after !== undefined }),
    follow: (id, patienceMillis, after) =>
      reconnecting(
        (last, within, onOpen) =>
          events({ id, after: last, hasAll: last !== undefined && last === after, onOpen }, within),
        patienceMillis,
        after,
      ),
    input: (id, bytes, { end, offset } = {}) =>
      answered(InputTaken, {
        method: "POST",
        path: `${pathOf(id)}/input`,
        about: id,
        query: { offset, end: end === true ? true : undefined },
        type: "application/octet-stream",
        body: bytes,
        // Answered when the command has taken them.
        withinMillis: Infinity,
      }),
    cancel,
    health: answered(Health, { method: "GET", path: "health" }),
  }
}
