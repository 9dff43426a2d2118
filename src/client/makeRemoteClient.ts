/**
 * Makes the HTTP client of an execution server, with a function for each route; reconnects, refuses to send secrets
 * unencrypted, and cancels abandoned commands.
 *
 * @module
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { defined } from "../base/defined.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import { type DurationInput, millisOf } from "../base/duration.ts"
import { type OptionError, refuseUnknownOptions } from "../base/OptionError.ts"
import type { CommandId } from "../command/CommandId.ts"
import { ShellOutput, type ShellOutputChunk } from "../command/ShellEvent.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { failOnFault } from "../wire/failOnFault.ts"
import * as Ndjson from "../wire/ndjson.ts"
import { CommandAccepted, Health, InputTaken } from "../wire/serverAnswers.ts"
import { CommandInfo, CommandPage } from "../wire/CommandInfo.ts"
import type { ExecRequestOptions } from "../wire/ExecRequestOptions.ts"
import { TerminalTicket } from "../wire/TerminalTicket.ts"
import { encodeSecrets, isPlaintext, plainSecretsFault } from "../wire/secrets.ts"
import { cancelTimeout, makeHttpTransport } from "./HttpTransport.ts"
import { commandPath, makeEventReader } from "./eventReader.ts"
import type { CommandEvent } from "./orderedEvents.ts"
import { type Connect, withReconnect } from "./reconnect.ts"
import type { RemoteClient, RemoteExecOptions } from "./RemoteClient.ts"
import { clientOptionNames, type RemoteClientOptions } from "./RemoteClientOptions.ts"
import type { RemoteError } from "./RemoteError.ts"
import type { HttpRequestSpec } from "./requestTarget.ts"

export type { CommandQuery, RemoteClient, RemoteExecOptions } from "./RemoteClient.ts"
export type { RemoteClientOptions } from "./RemoteClientOptions.ts"

const encodeExec = Schema.encodeSync(ShellExec)

/**
 * Makes a client. It holds no state and needs only `fetch`, so it works on an edge isolate too. Fails with an `OptionError` for
 * an unknown option, and if `idleTimeout` is not a time span. An invalid URL, token or header fails each request (`NotSent`).
 *
 * @example
 * ```ts
 * import { LocalShell, ShellExec } from "@sluice/shell"
 * import { shellRoutes } from "@sluice/shell/http"
 * import { RemoteClient } from "@sluice/shell/remote"
 * import { Effect, Stream } from "effect"
 *
 * await using routes = shellRoutes({ layer: LocalShell.layer, token: "s3cret" })
 * const program = Effect.gen(function* () {
 *   const client = yield* RemoteClient.make({
 *     url: "http://localhost/",
 *     token: "s3cret",
 *     fetch: async (request) => await routes.fetch(request),   // omit to use the network
 *   })
 *   const events = yield* Stream.runCollect(client.exec(ShellExec.make("echo", ["hello"], { commandId: "c1" })))
 *   const last = events.at(-1)
 *   console.log(last?._tag === "ShellOutput" && last.exitCode) // 0
 *   return yield* client.command("c1")
 * })
 * console.log((await Effect.runPromise(program)).state) // exited
 * ```
 */
export const make = (options: RemoteClientOptions): Effect.Effect<RemoteClient, OptionError> =>
  attemptOptions(() => makeClient(options))

const makeClient = (options: RemoteClientOptions): RemoteClient => {
  refuseUnknownOptions("RemoteClient", options, clientOptionNames)
  const transport = makeHttpTransport(options)
  const { malformed, sendAndDecode } = transport
  const { commandEvents, eventsOf } = makeEventReader(transport)

  /** Makes the request that runs a command; fails if its secrets would be sent unencrypted. */
  const execRequest = (
    exec: ShellExec,
    requestOptions: Omit<ExecRequestOptions, "secrets">,
    spec: Pick<HttpRequestSpec, "accept" | "withinMillis">,
  ): Effect.Effect<HttpRequestSpec, ShellFault> =>
    Effect.suspend(() => {
      const secrets = encodeSecrets(exec)
      if (secrets !== undefined && options.plainSecrets !== true && isPlaintext(options.url)) {
        return Effect.fail(plainSecretsFault(exec, options.url))
      }
      const body = { ...encodeExec(exec), ...requestOptions, ...(secrets === undefined ? {} : { secrets }) }
      return Effect.succeed({
        method: "POST",
        path: "exec",
        commandId: exec.commandId,
        contentType: "application/json",
        body: JSON.stringify(body),
        ...spec,
      })
    })

  /** A time option of an operation; an invalid one fails the operation. */
  const readMillis = (
    spec: HttpRequestSpec,
    field: string,
    input: DurationInput,
  ): Effect.Effect<number, RemoteError> =>
    Effect.mapError(attemptOptions(() => millisOf(field, input)), ({ message }) => transport.notSent(spec, message))

  const readGrace = (disconnectGrace: DurationInput): Effect.Effect<number, RemoteError> =>
    Effect.map(readMillis({ method: "POST", path: "exec" }, "disconnectGrace", disconnectGrace), Math.ceil)

  const follow = (
    id: CommandId,
    reconnectTimeout: DurationInput,
    after?: number,
  ): Stream.Stream<CommandEvent, RemoteError | ShellFault> =>
    Stream.unwrap(Effect.map(
      readMillis({ method: "GET", path: commandPath(id) }, "reconnectTimeout", reconnectTimeout),
      (timeoutMillis) =>
        withReconnect(
          (last, withinMillis, onOpen) =>
            commandEvents(
              { id, after: last, mayBeComplete: last !== undefined && last === after, onOpen },
              withinMillis,
            ),
          timeoutMillis,
          after,
        ),
    ))

  /** Sends JSON to a route of a command that has no answer. */
  const post = (id: CommandId, route: string, body: object): Effect.Effect<void, RemoteError | ShellFault> =>
    Effect.scoped(Effect.asVoid(transport.send({
      method: "POST",
      path: `${commandPath(id)}/${route}`,
      commandId: id,
      contentType: "application/json",
      body: JSON.stringify(body),
    })))

  const cancel: RemoteClient["cancel"] = (id, { force = false } = {}) =>
    sendAndDecode(CommandInfo, {
      method: "DELETE",
      path: commandPath(id),
      commandId: id,
      query: { force: force ? true : undefined },
    })

  const exec: RemoteClient["exec"] = (exec, { disconnectGrace = 0, ...rest } = {}) =>
    Stream.unwrap(Effect.map(readGrace(disconnectGrace), (graceMillis) => execWithin(exec, graceMillis, rest)))

  const execWithin = (
    exec: ShellExec,
    disconnectGraceMillis: number,
    { onAccepted, ...rest }: Omit<RemoteExecOptions, "disconnectGrace">,
  ): ReturnType<RemoteClient["exec"]> => {
    const requestOptions = requestOptionsOf(rest)
    const id = exec.commandId
    let isAccepted = false
    const accept = (): void => {
      if (!isAccepted) onAccepted?.()
      isAccepted = true
    }
    if (disconnectGraceMillis === 0) {
      return toOutput(Stream.unwrap(Effect.map(
        execRequest(exec, requestOptions, { withinMillis: Infinity }),
        (spec) => eventsOf(spec, { id, hasKeepAlive: false, onOpen: accept }),
      )))
    }
    const start = (withinMillis: number, onOpen: () => void) =>
      Stream.unwrap(Effect.map(
        execRequest(exec, { ...requestOptions, disconnectGraceMillis }, { withinMillis }),
        (spec) =>
          eventsOf(spec, {
            id,
            hasKeepAlive: true,
            onOpen: () => {
              accept()
              onOpen()
            },
          }),
      ))
    const connect: Connect = (after, withinMillis, onOpen) =>
      after === undefined ? start(withinMillis, onOpen) : commandEvents({ id, after, onOpen }, withinMillis)
    return Stream.suspend(() => {
      let hasEnded = false
      const allEvents = Stream.mapArray(withReconnect(connect, disconnectGraceMillis, undefined), (batch) => {
        hasEnded = batch.at(-1)?.event._tag !== "ShellOutputChunk"
        return batch
      })
      // The reader will not come back, so the server need not keep the command for its grace.
      const giveUp = Effect.suspend(() => hasEnded || !isAccepted ? Effect.void : cancel(id))
      return Stream.ensuring(toOutput(allEvents), Effect.ignore(Effect.timeoutOption(giveUp, cancelTimeout)))
    })
  }

  const run: RemoteClient["run"] = (exec) =>
    Effect.flatMap(
      execRequest(exec, {}, { accept: "application/json", withinMillis: Infinity }),
      (spec) =>
        Effect.flatMap(sendAndDecode(ShellOutput, spec), (output) =>
          output.commandId === exec.commandId
            ? Effect.succeed(output)
            : Effect.fail(malformed(spec, "it sent the output of another command"))),
    )

  return {
    run,
    exec,
    detach: (exec, rest = {}) =>
      Effect.flatMap(
        execRequest(exec, { ...requestOptionsOf(rest), detached: true }, {}),
        (spec) => sendAndDecode(CommandAccepted, spec),
      ),
    start: (exec, { disconnectGrace, ...rest }) =>
      readGrace(disconnectGrace).pipe(
        Effect.flatMap((graceMillis) =>
          execRequest(exec, {
            ...requestOptionsOf(rest),
            disconnectGraceMillis: Math.max(1, graceMillis),
          }, { accept: Ndjson.mediaType })
        ),
        // The headers arrive when the command is in the journal. Then the scope drops the body, because other calls
        // read the output.
        Effect.flatMap((spec) => Effect.scoped(Effect.asVoid(transport.send(spec)))),
      ),
    commands: ({ state, ...query } = {}) =>
      sendAndDecode(CommandPage, { method: "GET", path: "commands", query: { ...query, state: state?.join(",") } }),
    command: (id) => sendAndDecode(CommandInfo, { method: "GET", path: commandPath(id), commandId: id }),
    events: (id, after) => commandEvents({ id, after, mayBeComplete: after !== undefined }),
    follow,
    input: (id, bytes, { end, offset } = {}) =>
      sendAndDecode(InputTaken, {
        method: "POST",
        path: `${commandPath(id)}/input`,
        commandId: id,
        query: { offset, end: end === true ? true : undefined },
        contentType: "application/octet-stream",
        body: bytes,
        // The answer comes when the command has taken the bytes.
        withinMillis: Infinity,
      }),
    resize: (id, size) => post(id, "resize", size),
    signal: (id, signal) => post(id, "signal", { signal }),
    terminalTicket: (id) =>
      sendAndDecode(TerminalTicket, { method: "POST", path: `${commandPath(id)}/terminal`, commandId: id }),
    cancel,
    health: sendAndDecode(Health, { method: "GET", path: "health" }),
  }
}

/** The options of a request that are given. A terminal is typed into, unless its stdin is closed. */
const requestOptionsOf = (
  { chunking, stdin, terminal }: Pick<ExecRequestOptions, "chunking" | "stdin" | "terminal">,
): Omit<ExecRequestOptions, "secrets"> => ({
  ...defined({ chunking, terminal }),
  stdin: stdin ?? (terminal === undefined ? "closed" : "open"),
})

/** Emits events as a leaf does: without ids, and with the fault as the stream's failure. */
const toOutput = (
  events: Stream.Stream<CommandEvent, RemoteError | ShellFault>,
): Stream.Stream<ShellOutputChunk | ShellOutput, RemoteError | ShellFault> =>
  failOnFault(Stream.mapArray(events, (batch) => Arr.map(batch, ({ event }) => event)))
