/**
 * One command on a server.
 *
 * @module
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ShellOutput, ShellOutputChunk } from "../../command/ShellEvent.ts"
import { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { aborted, cancelledFault } from "../../shell/admit.ts"
import { encodeChunking } from "../../compute/ComputeRequest.ts"
import type { LeafRunOptions } from "../../shell/ShellService.ts"
import type { ClientError, ShellHttpClient } from "../../client/ShellHttpClient.ts"
import { maxDisconnectGraceMillis } from "../../wire/protocol.ts"
import { ownFault, type Server, serverFault, stdoutFault } from "./faults.ts"
import { feedInput } from "./feedInput.ts"
import type { WireIds } from "./WireIds.ts"

/** How a server is spoken to. */
export interface RemoteContext {
  readonly client: ShellHttpClient
  readonly server: Server
  readonly ids: WireIds
}

type Events = ShellOutputChunk | ShellOutput

type NonEmpty = readonly [Events, ...Array<Events>]

/** Input that is longer than this, in UTF-16 units or bytes, is sent beside the request: those have a limit. */
const longInput = 262_144

/** After the grace of a command, how long its end is waited for. */
const patienceAfterGrace = Duration.seconds(5)
const usualGrace = Duration.seconds(5)

/** How often it is tried to cancel a command that the server may not know yet, and milliseconds between two tries. */
const cancelTries = 20
const cancelPauseMillis = 50

const isUnknown = (error: ClientError): boolean => error._tag === "HttpError" && error.status === 404

interface Split {
  readonly exec: ShellExec
  readonly stdin: Stream.Stream<Uint8Array, unknown> | undefined
}

/** The request, and what is to be sent beside it. */
const split = (exec: ShellExec, { stdin }: LeafRunOptions): Split => {
  const { input, ...rest } = exec
  if (stdin === undefined) {
    if (input === undefined || (typeof input !== "string" && !(input instanceof Uint8Array))) return { exec, stdin }
    if (input.length <= longInput) return { exec, stdin }
  }
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input
  return {
    exec: new ShellExec(rest),
    stdin: stdin ?? (bytes instanceof Uint8Array ? Stream.succeed(bytes) : undefined),
  }
}

/** Runs a command on a server. Closing the stream ends it there, and waits until it has ended. */
export const runRemote = (
  { client, ids, server }: RemoteContext,
  asked: ShellExec,
  options: LeafRunOptions,
): Stream.Stream<Events, ShellFault> => {
  const { chunking, kill, onSpawn, signal, stdout } = options

  const start = (scope: Scope.Scope): Effect.Effect<Pull.Pull<NonEmpty, ShellFault>, ShellFault> =>
    Effect.gen(function* () {
      if (stdout !== undefined) return yield* Effect.fail(stdoutFault(asked))
      if (signal?.aborted === true) return yield* Effect.fail(cancelledFault(asked))
      const commandId = ids.next(asked.commandId)
      const { exec, stdin } = split(asked, options)
      const broken = yield* Deferred.make<never, ShellFault>()
      let begun = false
      let over = false
      let last: number | undefined
      const grace = Duration.sum(asked.grace ?? usualGrace, patienceAfterGrace)

      const faultOf = (error: ClientError): ShellFault =>
        error._tag === "HttpError"
          ? serverFault(asked, error, begun, commandId, server)
          : ownFault(asked, error, signal)

      /** Has the command ended there. One that the server does not know may be on its way to it yet. */
      const cancel = (tries: number, force = false): Effect.Effect<boolean> =>
        Effect.suspend(() =>
          over ? Effect.succeed(false) : Effect.matchEffect(client.cancel(commandId, { force }), {
            onSuccess: () => Effect.succeed(true),
            onFailure: (error) =>
              tries > 0 && (begun || isUnknown(error))
                ? Effect.andThen(Effect.sleep(cancelPauseMillis), cancel(tries - 1, force))
                : Effect.succeed(false),
          })
        )

      const untilEnded = Effect.flatMap(
        cancel(cancelTries),
        (isCancelled) =>
          isCancelled ? Stream.runDrain(client.follow(commandId, Duration.toMillis(grace), last)) : Effect.void,
      )

      // Added before the events are asked for, and so called after that connection was closed.
      yield* Scope.addFinalizer(scope, Effect.ignore(Effect.timeoutOption(untilEnded, grace)))
      const events = client.exec(commandId === exec.commandId ? exec : new ShellExec({ ...exec, commandId }), {
        disconnectGraceMillis: Math.min(
          maxDisconnectGraceMillis,
          Math.max(1, Math.round(Duration.toMillis(server.patience))),
        ),
        ...(chunking === undefined ? undefined : { chunking: encodeChunking(chunking) }),
        stdin: stdin === undefined ? "closed" : "open",
        onAccepted: () => {
          begun = true
        },
      })
      const pull = yield* Channel.toPullScoped(
        Stream.mapError(events, (error) => {
          over = error._tag === "ShellFault" || !begun
          return faultOf(error)
        }).channel,
        scope,
      )

      if (stdin !== undefined) {
        const failed = (cause: Cause.Cause<unknown>): Effect.Effect<unknown> => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.void
          const [what] = Cause.pretty(cause).split("\n")
          const message = `exec: the input of ${asked.command} failed: ${what} (ESTDIN)`
          return Deferred.fail(
            broken,
            ShellFault.because(asked.commandId, { _tag: "Unknown", code: "ESTDIN" }, message),
          )
        }
        yield* Effect.forkIn(Effect.catchCause(feedInput(client, commandId, stdin), failed), scope)
      }
      if (signal !== undefined) {
        const late = Effect.andThen(
          Effect.timeoutOption(cancel(Infinity), grace),
          Effect.andThen(Effect.sleep(grace), Deferred.fail(broken, cancelledFault(asked))),
        )
        yield* Effect.forkIn(Effect.andThen(aborted(signal), late), scope)
      }
      if (kill !== undefined) {
        const force = Effect.timeoutOption(cancel(Infinity, true), grace)
        yield* Effect.forkIn(Effect.andThen(aborted(kill), force), scope)
      }
      const alone = stdin === undefined && signal === undefined
      let spawned = false
      const next: Pull.Pull<NonEmpty, ShellFault> = Effect.map(pull, (some) => {
        if (!spawned) {
          spawned = true
          onSpawn?.({ pid: undefined, executable: asked.command })
        }
        for (const event of some) {
          if (event._tag === "ShellOutputChunk") last = event.seq
          else over = true
        }
        return commandId === asked.commandId
          ? some
          : Arr.map(some, (event) => ({ ...event, commandId: asked.commandId }))
      })
      return alone ? next : Effect.raceFirst(next, Deferred.await(broken))
    })

  return Stream.fromChannel(Channel.fromTransform((_, scope) => start(scope)))
}
